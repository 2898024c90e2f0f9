// Folds over axes on the host, in an order that no number of threads changes.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces, workspace
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/fold.hpp>       // fold_kernels, fold_loops, fold_state, gives_pairs_v

#include <algorithm>  // min
#include <cstddef>    // size_t
#include <cstdint>    // int64_t
#include <utility>    // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <int Operands>
void host_place(const loops<Operands>& over, int rank, std::int64_t index, std::int64_t (&at)[Operands]) {
  for (int axis = rank - 1; axis >= 0; --axis) {
    for (int o = 0; o < Operands; ++o) at[o] += index % over.extent[axis] * over.stride[o][axis];
    index /= over.extent[axis];
  }
}

template <class Real, class Function, int Operands>
struct host_fold {
  static constexpr std::int64_t run_length = 256, side = 64;

  const Function& f;
  fold_loops<Operands> over;
  host_target y;
  const host_source (&x)[static_cast<std::size_t>(Operands)];

  fold_state folded(fold_state (&lane)[fold_width], std::int64_t width) const {
    for (std::int64_t half = width / 2; half > 0; half /= 2)
      for (std::int64_t j = 0; j < half; ++j) lane[j] = f.join(lane[j], lane[j + half]);
    return lane[0];
  }
  void clear(fold_state* state, std::int64_t n) const {
    for (std::int64_t j = 0; j < n; ++j) state[j] = f.start();
  }
  template <std::size_t... O>
  fold_state chunk_along_terms(std::int64_t result, std::int64_t part, std::index_sequence<O...>) const {
    std::int64_t width = 1;  // lanes without a term would change nothing
    while (width < fold_width && width < over.terms.elements) width *= 2;
    fold_state lane[fold_width];
    clear(lane, width);
    std::int64_t base[Operands] = {};
    host_place(over.kept, over.kept.rank, result, base);
    const auto& terms = over.terms;
    const int last = terms.rank - 1;
    const std::int64_t inner = last < 0 ? 1 : terms.extent[last], begin = part * over.chunk(), end = (std::min)(begin + over.chunk(), terms.elements);
    Real in[Operands][run_length];
    for (std::int64_t t = begin; t < end;) {
      const std::int64_t here = t % inner, n = (std::min)((std::min)(run_length, inner - here), end - t);
      std::int64_t at[Operands];
      for (int o = 0; o < Operands; ++o) at[o] = base[o];
      host_place(terms, last, t / inner, at);
      for (int o = 0; o < Operands; ++o) {
        const std::int64_t stride = last < 0 ? 1 : terms.stride[o][last];
        load_run(x[o], at[o] + here * stride, n, stride, in[o]);
      }
      for (std::int64_t j = 0; j < n; ++j) f.add(lane[(t - begin + j) & (width - 1)], in[O][j]...);
      t += n;
    }
    return folded(lane, width);
  }
  /// Neighbouring results first … first + n - 1, in one run of the innermost loop over results.
  template <std::size_t... O>
  void chunk_along_results(std::int64_t first, std::int64_t n, std::int64_t part, fold_state* state, std::index_sequence<O...>) const {
    clear(state, n);
    const int last = over.kept.rank - 1;
    const std::int64_t inner = over.kept.extent[last], begin = part * over.chunk(), end = (std::min)(begin + over.chunk(), over.terms.elements);
    std::int64_t base[Operands] = {};
    host_place(over.kept, last, first / inner, base);
    Real in[Operands][side];
    for (std::int64_t t = begin; t < end; ++t) {
      std::int64_t at[Operands];
      for (int o = 0; o < Operands; ++o) at[o] = base[o];
      host_place(over.terms, over.terms.rank, t, at);
      for (int o = 0; o < Operands; ++o) {
        const std::int64_t stride = over.kept.stride[o][last];
        load_run(x[o], at[o] + first % inner * stride, n, stride, in[o]);
      }
      for (std::int64_t j = 0; j < n; ++j) f.add(state[j], in[O][j]...);
    }
  }
  void store(std::int64_t result, const fold_state& state) const {
    if constexpr (gives_pairs_v<Function>) {
      fold_state pair = f.finish(state);
      store_run(y, result, 1, &pair.first), store_run(y, over.kept.elements + result, 1, &pair.second);
    } else {
      double value = f.finish(state);
      store_run(y, result, 1, &value);
    }
  }
  void run(host_context& context) const {
    const std::int64_t results = over.kept.elements, parts = over.parts();
    if (results == 0) return;
    const bool worth = results * over.terms.elements > 16384;
    const auto operands = std::make_index_sequence<static_cast<std::size_t>(Operands)>();
    const workspace<fold_state> states(context, parts > 1 ? results * parts : 0);
    if (over.side_by_side) {
      const std::int64_t inner = over.kept.extent[over.kept.rank - 1], across = (inner + side - 1) / side;
      for_pieces(context, results / inner * across * parts, worth, [&](std::int64_t piece, int) {
        const std::int64_t part = piece % parts, block = piece / parts, column = block % across * side;
        const std::int64_t first = block / across * inner + column, n = (std::min)(side, inner - column);
        fold_state state[side];
        chunk_along_results(first, n, part, state, operands);
        for (std::int64_t j = 0; j < n; ++j) {
          if (parts == 1) store(first + j, state[j]);
          else states.data()[(first + j) * parts + part] = state[j];
        }
      });
    } else {
      for_pieces(context, results * parts, worth, [&](std::int64_t i, int) {
        const fold_state state = chunk_along_terms(i / parts, i % parts, operands);
        if (parts == 1) store(i, state);
        else states.data()[i] = state;
      });
    }
    if (parts == 1) return;
    for_pieces(context, results, results * parts > 16384, [&](std::int64_t result, int) {
      fold_state lane[fold_width];
      clear(lane, fold_width);
      for (std::int64_t k = 0; k < parts; ++k) lane[k % fold_width] = f.join(lane[k % fold_width], states.data()[result * parts + k]);
      store(result, folded(lane, fold_width));
    });
  }
};

template <>
struct fold_kernels<host_device> {
  template <class Function, class Y, class... X, class... Read>
  static void run(host_context& context, const Function& f, const fold_loops<static_cast<int>(sizeof...(X))>& over, const target<Y>& y, const source<X, Read>&... x) {
    const host_source sources[] = {x...};
    host_fold<arithmetic_t<Read...>, Function, static_cast<int>(sizeof...(X))>{f, over, y, sources}.run(context);
  }
};

}}}  // namespace amphora::detail
