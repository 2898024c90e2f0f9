// Lines of a dense array along one axis, a few at a time as rows of float: for softmax and what is built on it.
#pragma once
#include <amphora/host/context.hpp>   // host_context
#include <amphora/host/parallel.hpp>  // for_pieces, workspace
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/kernels.hpp>    // lines_of

#include <algorithm>  // min
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real> void load_line(const lines_of& l, const host_source& x, std::int64_t line, Real* to) { load_run(x, l.first(line), l.length, l.inner, to); }
template <class Real> void store_line(const lines_of& l, const host_target& y, std::int64_t line, Real* from) { store_run(y, l.first(line), l.length, l.inner, from); }

/// Calls work(line, memory) for each line; memory holds `rows` lines and is one thread's own.
template <class Real, class Work>
void for_lines(host_context& context, const lines_of& l, std::int64_t rows, const Work& work) {
  if (l.lines() == 0) return;
  const workspace<Real> memory(context, context.threads() * rows * l.length + 1);
  constexpr std::int64_t some = 16;  // lines of one piece
  for_pieces(context, (l.lines() + some - 1) / some, l.lines() * l.length > 8192, [&](std::int64_t piece, int thread) {
    for (std::int64_t line = piece * some; line < (std::min)(piece * some + some, l.lines()); ++line)
      work(line, memory.data() + thread * rows * l.length);
  });
}

}}}  // namespace amphora::detail
