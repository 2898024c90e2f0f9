// A stack of its own to run on, known to the address and the thread sanitizer.
#pragma once
#include <boost/context/fiber.hpp>                   // fiber
#include <boost/context/pooled_fixedsize_stack.hpp>  // pooled_fixedsize_stack
#include <boost/context/preallocated.hpp>            // preallocated

#include <memory>   // allocator_arg
#include <utility>  // move

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATED_ASAN
#elif __has_feature(thread_sanitizer)
#define EMULATED_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EMULATED_ASAN
#elif defined(__SANITIZE_THREAD__)
#define EMULATED_TSAN
#endif
#if defined(EMULATED_ASAN)
#include <sanitizer/common_interface_defs.h>  // __sanitizer_start_switch_fiber
#elif defined(EMULATED_TSAN)
#include <sanitizer/tsan_interface.h>  // __tsan_switch_to_fiber
#endif

namespace emulated {

/// Runs body() again and again: each resume() goes on until the body suspends or ends. Ended early, a suspended body is
/// unwound by an exception.
template <class Body>
class fiber {
 public:
  fiber(boost::context::pooled_fixedsize_stack& stacks, Body body) : body_(std::move(body)) {
    const boost::context::stack_context stack = stacks.allocate();
#if defined(EMULATED_ASAN)
    stack_ = static_cast<char*>(stack.sp) - stack.size, size_ = stack.size;
#endif
    self_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), stacks, [this](boost::context::fiber&& back) {
      back_ = std::move(back);
      arrived();
      while (!ending_) {
        try {
          body_();
        } catch (const ended&) {
          break;
        }
        if (!ending_) away();
      }
      leaving(true);
      return std::move(back_);
    });
#if defined(EMULATED_TSAN)
    here_ = __tsan_create_fiber(0);
#endif
  }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() {
    ending_ = true;
    resume();
#if defined(EMULATED_TSAN)
    __tsan_destroy_fiber(here_);
#endif
  }

  void resume() {
#if defined(EMULATED_ASAN)
    void* mine = nullptr;
    __sanitizer_start_switch_fiber(&mine, stack_, size_);
    self_ = std::move(self_).resume();
    __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
#elif defined(EMULATED_TSAN)
    there_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(here_, 0);
    self_ = std::move(self_).resume();
#else
    self_ = std::move(self_).resume();
#endif
  }
  /// Back to who resumed it; called on it.
  void suspend() {
    away();
    if (ending_) throw ended{};
  }

 private:
  struct ended {};

  void away() {
    leaving(false);
    back_ = std::move(back_).resume();
    arrived();
  }
  void leaving(bool for_good) {
    static_cast<void>(for_good);
#if defined(EMULATED_ASAN)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &mine_, their_stack_, their_size_);
#elif defined(EMULATED_TSAN)
    __tsan_switch_to_fiber(there_, 0);
#endif
  }
  void arrived() {
#if defined(EMULATED_ASAN)
    __sanitizer_finish_switch_fiber(mine_, &their_stack_, &their_size_);
#endif
  }

  Body body_;
  boost::context::fiber self_, back_;
  bool ending_ = false;
#if defined(EMULATED_ASAN)
  void* mine_ = nullptr;
  const void *their_stack_ = nullptr, *stack_ = nullptr;
  std::size_t their_size_ = 0, size_ = 0;
#elif defined(EMULATED_TSAN)
  void *here_ = nullptr, *there_ = nullptr;
#endif
};

}  // namespace emulated
