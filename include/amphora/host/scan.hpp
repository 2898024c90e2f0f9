// Scans along lines on the host, one number after the other.
#pragma once
#include <amphora/host/context.hpp>  // host_context, host_device
#include <amphora/host/lines.hpp>    // for_lines, load_line, store_line
#include <amphora/host/run.hpp>      // host_source, host_target
#include <amphora/ops/scan.hpp>      // scan_kernels, scan_way

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct scan_kernels<host_device> {
  template <class Function, class Y, class... X, class... Read>
  static void run(host_context& context, const Function& f, const lines_of& lines, const scan_way& way, const target<Y>& y, const source<X, Read>&... x) {
    const host_source sources[] = {x...};
    run_erased<arithmetic_t<Y, Read...>>(context, f, lines, way, host_target(y), sources, std::index_sequence_for<X...>());
  }

 private:
  template <class Real, class Function, std::size_t Operands, std::size_t... O>
  static void run_erased(host_context& context, const Function& f, const lines_of& lines, const scan_way& way, const host_target& y, const host_source (&x)[Operands],
                         std::index_sequence<O...>) {
    const std::int64_t n = lines.length;
    for_lines<Real>(context, lines, static_cast<std::int64_t>(Operands), [&](std::int64_t line, Real* row) {
      (load_line(lines, x[O], line, row + static_cast<std::int64_t>(O) * n), ...);
      fold_state state = f.start();
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t i = way.backward ? n - 1 - k : k;
        const fold_state next = f.join(state, f.element(row[static_cast<std::int64_t>(O) * n + i]...));
        row[i] = static_cast<Real>(f.value(way.before ? state : next));
        state = next;
      }
      store_line(lines, y, line, row);
    });
  }
};

}}}  // namespace amphora::detail
