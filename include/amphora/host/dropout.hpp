// Dropout on the host.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/dropout.hpp>    // dropout_mask
#include <amphora/ops/kernels.hpp>    // dropout_kernels

#include <algorithm>  // min
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real>
void dropout_runs(host_context& context, const dropout_mask& mask, std::int64_t n, const host_target& y, const host_source& x) {
  constexpr std::int64_t run = 1024;
  for_pieces(context, (n + run - 1) / run, n > 8192, [&](std::int64_t piece, int) {
    const std::int64_t first = piece * run, count = (std::min)(run, n - first);
    std::uint32_t words[run];
    for (std::int64_t i = 0; i < count; i += 4) {
      const philox_words four = mask.words(static_cast<std::uint64_t>(first + i) / 4);
      for (int j = 0; j < 4; ++j) words[i + j] = four.word[j];
    }
    Real v[run];
    load_run(x, first, count, v);
    for (std::int64_t i = 0; i < count; ++i) v[i] = mask(words[i], v[i]);
    store_run(y, first, count, v);
  });
}

template <>
struct dropout_kernels<host_device> {
  template <class Y, class X, class Read>
  static void run(host_context& context, const dropout_mask& mask, std::int64_t n, const target<Y>& y, const source<X, Read>& x) {
    dropout_runs<arithmetic_t<Y, X>>(context, mask, n, y, x);
  }
};

}}}  // namespace amphora::detail
