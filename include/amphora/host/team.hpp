// One parallel region: the threads of a host context, or the calling thread alone where the program has no OpenMP.
#pragma once
#include <amphora/detail/config.hpp>  // this_build

#include <cstdint>  // int64_t
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One thread of a region.
struct team_member {
  int index;
  int size;

  /// Waits for all others. Nothing for a team of one, so that a caller's own region is never met.
  template <class Build = this_build> void meet() const {
#if defined(_OPENMP)
    if (size > 1) {
#pragma omp barrier
    }
#endif
  }
  bool first() const { return index == 0; }
  /// This member's part of [0, count): [begin(count), end(count)).
  std::int64_t begin(std::int64_t count) const { return count / size * index + count % size * index / size; }
  std::int64_t end(std::int64_t count) const { return count / size * (index + 1) + count % size * (index + 1) / size; }
};

/// work(member) on each of up to `threads` threads.
template <class Work, class Build = this_build>
void in_team(int threads, const Work& work) {
#if defined(_OPENMP)
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    work(team_member{omp_get_thread_num(), omp_get_num_threads()});
    return;
  }
#endif
  static_cast<void>(threads);
  work(team_member{0, 1});
}

}}}  // namespace amphora::detail
