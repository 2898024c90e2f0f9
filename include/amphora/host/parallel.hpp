// The host's one way to share work: independent pieces, each done by one thread from start to end.
#pragma once
#include <amphora/detail/config.hpp>  // this_build
#include <amphora/host/context.hpp>   // host_context

#include <algorithm>  // min
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Calls piece(i, thread) for i in [0, pieces). Which thread does which piece has no influence on any result.
///
/// worth  whether there is enough to do for more than one thread
template <class Piece, class Build = this_build>
void for_pieces(const host_context& context, std::int64_t pieces, bool worth, const Piece& piece) {
#if defined(_OPENMP)
  const int threads = worth ? static_cast<int>((std::min)(static_cast<std::int64_t>(context.threads()), pieces)) : 1;
  if (threads > 1) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread)
      for (std::int64_t i = thread; i < pieces; i += threads) piece(i, thread);
    return;
  }
#endif
  (void)context, (void)worth;
  for (std::int64_t i = 0; i < pieces; ++i) piece(i, 0);
}

/// Memory of the context for the time of one call.
template <class T>
class workspace {
 public:
  workspace(host_context& context, std::int64_t numbers)
      : context_(context), bytes_(static_cast<std::size_t>(numbers) * sizeof(T)), data_(static_cast<T*>(context.allocate(bytes_))) {}
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() { context_.release(data_, bytes_); }
  T* data() const { return data_; }

 private:
  host_context& context_;
  std::size_t bytes_;
  T* data_;
};

}}}  // namespace amphora::detail
