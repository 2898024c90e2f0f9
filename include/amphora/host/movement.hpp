// Strided copies on the host.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/movement.hpp>   // movement, movement_kernels

#include <algorithm>  // fill_n, max, min
#include <cstdint>    // int64_t
#include <cstring>    // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr std::int64_t movement_run = 1024;

/// Calls work(y, x, inside, begin, n) for each run of up to movement_run places along the innermost axis: where its first place lies in both
/// arrays, whether the axes outside read x, and which places of the axis these are.
template <class Work>
void for_runs(host_context& context, const movement& m, const Work& work) {
  const int last = m.rank - 1;
  const std::int64_t inner = last < 0 ? 1 : m.extent[last], parts = (inner + movement_run - 1) / movement_run;
  for_pieces(context, m.elements / inner * parts, m.elements > 32768, [&](std::int64_t piece, int) {
    std::int64_t y = m.y_first, x = m.x_first, rest = piece / parts;
    bool inside = true;
    for (int axis = last - 1; axis >= 0; --axis) {
      const std::int64_t c = rest % m.extent[axis];
      y += c * m.to[axis], x += c * m.from[axis], inside = inside && c >= m.low[axis] && c < m.high[axis];
      rest /= m.extent[axis];
    }
    const std::int64_t begin = piece % parts * movement_run;
    work(y, x, inside, begin, (std::min)(movement_run, inner - begin));
  });
}

template <class Word>
void move_words(host_context& context, const movement& m, void* to, const void* from) {
  const int last = m.rank - 1;
  const std::int64_t y_step = last < 0 ? 1 : m.to[last], x_step = last < 0 ? 1 : m.from[last];
  for_runs(context, m, [&](std::int64_t y, std::int64_t x, bool, std::int64_t begin, std::int64_t n) {
    char* target = static_cast<char*>(to) + (y + begin * y_step) * static_cast<std::int64_t>(sizeof(Word));
    const char* source = static_cast<const char*>(from) + (x + begin * x_step) * static_cast<std::int64_t>(sizeof(Word));
    if (y_step == 1 && x_step == 1) {
      std::memcpy(target, source, static_cast<std::size_t>(n) * sizeof(Word));
      return;
    }
    for (std::int64_t j = 0; j < n; ++j)
      std::memcpy(target + j * y_step * static_cast<std::int64_t>(sizeof(Word)), source + j * x_step * static_cast<std::int64_t>(sizeof(Word)), sizeof(Word));
  });
}
template <class Real>
void move_numbers(host_context& context, const movement& m, const host_target& to, const host_source& from) {
  const int last = m.rank - 1;
  const std::int64_t y_step = last < 0 ? 1 : m.to[last], x_step = last < 0 ? 1 : m.from[last], low = last < 0 ? 0 : m.low[last], high = last < 0 ? 1 : m.high[last];
  for_runs(context, m, [&](std::int64_t y, std::int64_t x, bool inside, std::int64_t begin, std::int64_t n) {
    Real part[movement_run];
    const std::int64_t first = inside ? (std::min)((std::max)(low - begin, std::int64_t(0)), n) : n, past = inside ? (std::max)((std::min)(high - begin, n), first) : n;
    std::fill_n(part, first, static_cast<Real>(m.value)), std::fill_n(part + past, n - past, static_cast<Real>(m.value));
    if (past > first) load_run(from, x + (begin + first) * x_step, past - first, x_step, part + first);
    store_run(to, y + begin * y_step, n, y_step, part);
  });
}

template <>
struct movement_kernels<host_device> {
  template <class Y, class X, class Read>
  static void run(host_context& context, const movement& m, const target<Y>& y, const source<X, Read>& x) {
    const host_target to(y);
    const host_source from(x);
    if (m.elements == 0) return;
    if (to.format != from.given || from.read != from.given || to.add || !m.reads_all()) return move_numbers<arithmetic_t<Y, X, Read>>(context, m, to, from);
    switch (size_of(to.format)) {
      case 1: return move_words<unsigned char>(context, m, to.data, from.data);
      case 2: return move_words<unsigned short>(context, m, to.data, from.data);
      case 4: return move_words<unsigned int>(context, m, to.data, from.data);
      default: return move_words<unsigned long long>(context, m, to.data, from.data);
    }
  }
};

}}}  // namespace amphora::detail
