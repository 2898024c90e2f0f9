// Runs the threads of one block, and lets them wait for each other: at a barrier of the block or with lanes of their warp.
#pragma once
#include "fiber.hpp"     // fiber
#include "settings.hpp"  // fail, reverse

#include <vector_types.h>  // uint3, dim3

#include <cstdint>     // uint64_t
#include <deque>       // deque
#include <exception>   // exception
#include <functional>  // function
#include <memory>      // unique_ptr
#include <stdexcept>   // runtime_error
#include <string>      // to_string
#include <vector>      // vector

inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace emulated {

/// Some lanes of a warp that run one instruction together: those of a mask. Values of the turn before may still be read.
struct meeting {
  unsigned mask = 0, arrived = 0, turn = 0;
  int place = 0;
  unsigned came[2] = {}, votes[2] = {};
  std::uint64_t value[2][32] = {};
};

/// A runner calls the kernel for one thread after the other on one stack. When a thread waits, its runner stays parked in
/// the middle of it and a fresh runner goes on with the next thread. A kernel without a barrier never switches.
class block {
 public:
  void run(int threads, const std::function<void()>& kernel) {
    body_ = &kernel, size_ = threads, next_ = arrived_ = 0, waiting_ = false;
    counts_[0] = counts_[1] = 0;
    while (next_ < size_) {
      if (idle_.empty()) idle_.push_back(std::make_unique<runner>(*this));
      parked_.push_back(std::move(idle_.back())), idle_.pop_back();
      resume(*parked_.back());
      if (!parked_.back()->clock) idle_.push_back(std::move(parked_.back())), parked_.pop_back();
    }
    while (!parked_.empty()) {
      bool moved = false;
      for (auto& r : parked_)
        if (r->turn != *r->clock) resume(*r), moved = true;
      if (!moved) give_up();
      std::size_t kept = 0;
      for (auto& r : parked_)
        if (r->clock) parked_[kept++].swap(r);
        else idle_.push_back(std::move(r));
      parked_.resize(kept);
    }
  }
  bool is_running() const { return current_ != nullptr; }
  int thread() const { return current_->thread; }
  int lane() const { return current_->thread % 32; }
  /// For messages.
  std::string where() const {
    const std::string x = std::to_string(blockIdx.x);
    return " (block " + (gridDim.y * gridDim.z > 1 ? x + "," + std::to_string(blockIdx.y) + "," + std::to_string(blockIdx.z) : x) + ", thread " + std::to_string(current_ ? current_->thread : 0) + ")";
  }

  /// Waits for all threads of the block. How many of them brought a count of one.
  int barrier(int place, int count = 0) {
    if (arrived_ && place_ != place) fail("threads of one block wait at two different barriers, in lines " + std::to_string(place_) + " and " + std::to_string(place));
    place_ = place;
    const unsigned now = turn_;
    counts_[now & 1] += count;
    if (++arrived_ == size_) arrived_ = 0, ++turn_, counts_[turn_ & 1] = 0;
    else park(&turn_);
    return counts_[now & 1];
  }
  /// Waits for the lanes of mask. The meeting, and in turn which of its two halves holds their values.
  const meeting& meet(unsigned mask, std::uint64_t value, bool vote, int place, unsigned& turn) {
    note_waiting();
    if (!(mask >> lane() & 1)) fail("a lane takes part in a warp's instruction whose mask leaves it out");
    warp& w = warps_[static_cast<std::size_t>(thread() / 32)];
    meeting* m = nullptr;
    for (auto& known : w.meetings)
      if (known.mask == mask) m = &known;
    if (!m) w.meetings.emplace_back(), m = &w.meetings.back(), m->mask = mask;
    if (m->arrived && m->place != place) fail("lanes of one warp wait for each other in two places, lines " + std::to_string(m->place / 8) + " and " + std::to_string(place / 8));
    turn = m->turn & 1;
    if (!m->arrived) m->came[turn] = m->votes[turn] = 0;
    m->value[turn][lane()] = value, m->place = place;
    m->arrived |= 1u << lane(), m->came[turn] = m->arrived, m->votes[turn] |= static_cast<unsigned>(vote) << lane();
    if (!complete(w, *m, thread() / 32)) park(&m->turn);
    return *m;
  }

 private:
  struct runner {
    explicit runner(block& b) : self(b.stacks_, run_some{&b, this}) {}
    struct run_some {
      block* in;
      runner* me;
      void operator()() const { in->run_some(*me); }
    };
    int thread = -1;
    const unsigned* clock = nullptr;  // it waits until this moves on from turn
    unsigned turn = 0;
    fiber<run_some> self;
  };
  struct warp {
    unsigned left = 0;
    std::deque<meeting> meetings;
  };

  int thread_at(int i) const { return reverse ? size_ - 1 - i : i; }
  static void enter(int t) {
    const auto u = static_cast<unsigned>(t);
    if (blockDim.y * blockDim.z == 1) threadIdx.x = u, threadIdx.y = threadIdx.z = 0;
    else threadIdx.x = u % blockDim.x, threadIdx.y = u / blockDim.x % blockDim.y, threadIdx.z = u / (blockDim.x * blockDim.y);
  }
  void run_some(runner& me) {
    try {
      while (next_ < size_) {
        me.thread = thread_at(next_++);
        enter(me.thread);
        (*body_)();
        if (waiting_) leave(me.thread);
      }
    } catch (const std::exception& e) {
      error_ = e.what() + where();
    }
    me.thread = -1;
  }
  void resume(runner& r) {
    current_ = &r, r.clock = nullptr;
    if (r.thread >= 0) enter(r.thread);
    r.self.resume();
    current_ = nullptr;
    if (error_.empty()) return;
    std::string what;
    what.swap(error_);
    abandon();
    throw std::runtime_error(what);
  }
  void park(const unsigned* clock) {  // until the clock moves on
    runner& r = *current_;
    note_waiting();
    r.clock = clock, r.turn = *clock;
    r.self.suspend();
  }
  void abandon() { parked_.clear(), idle_.clear(); }

  /// From the first wait on, who has left is known.
  void note_waiting() {
    if (waiting_) return;
    waiting_ = true;
    warps_.resize(static_cast<std::size_t>((size_ + 31) / 32));
    for (auto& w : warps_) w.left = 0, w.meetings.clear();
    for (int i = 0; i + 1 < next_; ++i) warps_[static_cast<std::size_t>(thread_at(i) / 32)].left |= 1u << thread_at(i) % 32;
  }
  void leave(int t) {
    warp& w = warps_[static_cast<std::size_t>(t / 32)];
    w.left |= 1u << t % 32;
    for (auto& m : w.meetings)
      if (m.arrived) complete(w, m, t / 32);
  }
  bool complete(const warp& w, meeting& m, int number) const {
    const int lanes = size_ - 32 * number;
    const unsigned there = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    if ((m.mask & there & ~w.left) != m.arrived) return false;
    m.arrived = 0, ++m.turn;
    return true;
  }
  [[noreturn]] void give_up() {
    std::string what;
    for (std::size_t i = 0; i < warps_.size() && what.empty(); ++i)
      for (const auto& m : warps_[i].meetings)
        if (m.arrived) {
          char masks[64];
          std::snprintf(masks, sizeof masks, "%08x have come of mask %08x", m.arrived, m.mask);
          what = "lanes wait in line " + std::to_string(m.place / 8) + " for others that never come: " + masks + ", warp " + std::to_string(i);
          break;
        }
    if (arrived_) what = std::to_string(arrived_) + " threads wait at the barrier in line " + std::to_string(place_) + " that " + std::to_string(size_ - arrived_) + " do not reach" + (what.empty() ? "" : "; " + what);
    current_ = nullptr;
    const std::string in = " (block " + std::to_string(blockIdx.x) + ", thread " + std::to_string(parked_.front()->thread) + ")";
    abandon();
    fail(what + in);
  }

  boost::context::pooled_fixedsize_stack stacks_{256 * 1024};
  std::vector<std::unique_ptr<runner>> parked_, idle_;
  std::vector<warp> warps_;
  runner* current_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  int size_ = 0, next_ = 0, arrived_ = 0, place_ = 0;
  unsigned turn_ = 0;
  int counts_[2] = {};
  bool waiting_ = false;
  std::string error_;
};

inline block device;

}  // namespace emulated
