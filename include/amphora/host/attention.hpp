// Attention on the host: some rows of scores at a time, which never leave a thread's cache; keys that no row sees are left out.
#pragma once
#include <amphora/host/context.hpp>         // host_context, host_device
#include <amphora/host/masked_softmax.hpp>  // mask_line, masked_softmax_of, over_softmax
#include <amphora/host/matmul.hpp>          // add_product, host_product
#include <amphora/host/parallel.hpp>        // for_pieces, workspace
#include <amphora/host/run.hpp>             // host_source, host_target, round_run, store_run
#include <amphora/ops/attention_call.hpp>   // attention_call, attention_kernels
#include <amphora/ops/operand.hpp>          // source, target, arithmetic_t

#include <algorithm>  // copy_n, fill_n, max, min
#include <cstdint>    // int64_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Rows whose scores are held together, and into how many parts all rows are cut where there are few matrices. Set by the sizes alone: they fix
/// the order of sums.
inline constexpr std::int64_t attention_scores_of_tile = 1 << 17, attention_parts_of_all = 16;

/// An attention with its formats erased.
template <class Real>
class host_attention {
 public:
  attention_call c;
  host_source q, k, v;
  format_id weights;  ///< the weights and the gradients of the scores are rounded to it

  void forward(host_context& context, const host_target& y) const {
    const std::int64_t size = numbers(1);
    const workspace<Real> memory(context, threads(context) * size);
    for_pieces(context, c.matrices * parts(), is_worth(), [&](std::int64_t i, int thread) {
      thread_memory m(*this, memory.data() + thread * size);
      const std::int64_t matrix = i / parts();
      m.take(*this, matrix);
      for_tiles(i % parts(), [&](const tile& t) {
        const std::int64_t line = matrix * c.rows + t.row;
        find_softmax(m, t, line, rows_of(q, line, t.rows, c.width, m.rows_of_q));
        drop_and_round(t, line, m.scores);
        std::fill_n(m.rows_of_y, t.rows * c.out, Real(0));
        add_product<Real, false, false>(t.rows, c.out, t.keys, m.scores, t.keys, m.v, c.out, m.rows_of_y, c.out, m.blocks);
        store_run(y, line * c.out, t.rows * c.out, m.rows_of_y);
      });
    });
  }

  void backward(host_context& context, const host_source& grad, const host_target& gq, const host_target& gk, const host_target& gv) const {
    const std::int64_t size = numbers(2), sums = c.keys * (c.width + c.out), slots = parts() == 1 ? threads(context) : c.matrices;
    const workspace<Real> memory(context, threads(context) * size), of_q(context, slots * c.rows * c.width), of_kv(context, slots * parts() * sums);
    for_pieces(context, c.matrices * parts(), is_worth(), [&](std::int64_t i, int thread) {
      thread_memory m(*this, memory.data() + thread * size);
      const std::int64_t matrix = i / parts(), slot = parts() == 1 ? thread : matrix;
      Real *const to_q = of_q.data() + slot * c.rows * c.width, *const to_k = of_kv.data() + (slot * parts() + i % parts()) * sums, *const to_v = to_k + c.keys * c.width;
      std::fill_n(to_k, sums, Real(0));
      m.take(*this, matrix);
      for_tiles(i % parts(), [&](const tile& t) {
        const std::int64_t line = matrix * c.rows + t.row, size_of_tile = t.rows * t.keys;
        const Real *const its_q = rows_of(q, line, t.rows, c.width, m.rows_of_q), *const g = rows_of(grad, line, t.rows, c.out, m.rows_of_y);
        find_softmax(m, t, line, its_q);
        if (gv.data) {
          std::copy_n(m.scores, size_of_tile, m.gradients);
          drop_and_round(t, line, m.gradients);
          add_product<Real, true, false>(t.keys, c.out, t.rows, m.gradients, t.keys, g, c.out, to_v, c.out, m.blocks);
        }
        if (!gq.data && !gk.data) return;
        std::fill_n(m.gradients, size_of_tile, Real(0));
        add_product<Real, false, true>(t.rows, t.keys, c.out, g, c.out, m.v, c.out, m.gradients, t.keys, m.blocks);
        for (std::int64_t r = 0; r < t.rows; ++r) {
          Real* const line_of = m.gradients + r * t.keys;
          drop(line + r, t.keys, line_of);
          softmax_gradient(line_of, m.scores + r * t.keys, t.keys);
        }
        round_run(weights, m.gradients, size_of_tile);
        if (gq.data) {
          Real* const rows_of_gq = to_q + t.row * c.width;
          std::fill_n(rows_of_gq, t.rows * c.width, Real(0));
          add_product<Real, false, false>(t.rows, c.width, t.keys, m.gradients, t.keys, m.k, c.width, rows_of_gq, c.width, m.blocks);
        }
        if (gk.data) add_product<Real, true, false>(t.keys, c.width, t.rows, m.gradients, t.keys, its_q, c.width, to_k, c.width, m.blocks);
      });
      if (parts() == 1) store(matrix, to_q, to_k, sums, gq, gk, gv);
    });
    if (parts() > 1)
      for_pieces(context, c.matrices, is_worth(), [&](std::int64_t matrix, int) { store(matrix, of_q.data() + matrix * c.rows * c.width, of_kv.data() + matrix * parts() * sums, sums, gq, gk, gv); });
  }

 private:
  /// Rows of one head, and how many keys the last of them sees.
  struct tile { std::int64_t row, rows, keys; };
  /// What one thread holds.
  struct thread_memory {
    Real *blocks, *rows_of_q, *rows_of_y, *line, *own_k, *own_v, *scores, *gradients;
    const Real *k = nullptr, *v = nullptr;

    thread_memory(const host_attention& a, Real* memory) {
      const auto next = [&](std::int64_t n) { Real* const result = memory; memory += n; return result; };
      blocks = next(2 * tile_rows * tile_depth), rows_of_q = next(a.rows_of_tile() * a.c.width), rows_of_y = next(a.rows_of_tile() * a.c.out), line = next(a.c.keys);
      own_k = next(a.c.keys * a.c.width), own_v = next(a.c.keys * a.c.out), scores = next(a.scores()), gradients = memory;
    }
    void take(const host_attention& a, std::int64_t matrix) {
      k = rows_of(a.k, matrix * a.c.keys, a.c.keys, a.c.width, own_k), v = rows_of(a.v, matrix * a.c.keys, a.c.keys, a.c.out, own_v);
    }
  };

  std::int64_t rows_of_tile() const { return (std::max)((std::min)(attention_scores_of_tile / (c.keys + 1), std::int64_t(128)), std::int64_t(16)); }
  std::int64_t scores() const { return rows_of_tile() * c.keys; }
  /// What a thread holds beside so many tiles of scores; a multiple of 64 bytes, since Eigen's blocks come first and are aligned.
  std::int64_t numbers(std::int64_t tiles_of_scores) const {
    const std::int64_t result = 2 * tile_rows * tile_depth + rows_of_tile() * (c.width + c.out) + c.keys * (1 + c.width + c.out) + tiles_of_scores * scores();
    return (result + 15) / 16 * 16;
  }
  std::int64_t tiles_of_head() const { return (c.queries + rows_of_tile() - 1) / rows_of_tile(); }
  std::int64_t tiles() const { return c.queries == 0 ? 0 : c.rows / c.queries * tiles_of_head(); }
  std::int64_t parts() const { return (std::max)((std::min)(attention_parts_of_all / (std::max)(c.matrices, std::int64_t(1)), tiles()), std::int64_t(1)); }
  bool is_worth() const { return static_cast<double>(c.matrices * c.rows) * static_cast<double>(c.keys) * static_cast<double>(c.width + c.out) > 1e5; }
  std::int64_t threads(const host_context& context) const { return is_worth() ? (std::min)(std::int64_t(context.threads()), c.matrices * parts()) : 1; }

  template <class Work> void for_tiles(std::int64_t part, const Work& work) const {
    for (std::int64_t i = part * tiles() / parts(); i < (part + 1) * tiles() / parts(); ++i) {
      const std::int64_t first = i % tiles_of_head() * rows_of_tile(), rows = (std::min)(rows_of_tile(), c.queries - first);
      work(tile{i / tiles_of_head() * c.queries + first, rows, c.lines.causal ? (std::min)(c.keys, first + rows) : c.keys});
    }
  }
  /// Rows of a matrix as they are computed with: in place, or converted into memory.
  static const Real* rows_of(const host_source& x, std::int64_t row, std::int64_t rows, std::int64_t columns, Real* memory) {
    std::int64_t stride;
    return host_product<Real>::panel(x, row, 0, columns, 0, rows, columns, memory, stride);
  }

  void find_softmax(const thread_memory& m, const tile& t, std::int64_t line, const Real* its_q) const {
    std::fill_n(m.scores, t.rows * t.keys, Real(0));
    add_product<Real, false, true>(t.rows, t.keys, c.width, its_q, c.width, m.k, c.width, m.scores, t.keys, m.blocks);
    for (std::int64_t r = 0; r < t.rows; ++r) {
      Real* const row = m.scores + r * t.keys;
      for (std::int64_t j = 0; j < t.keys; ++j) row[j] *= static_cast<Real>(c.scale);
      mask_line(c.lines, line + r, t.keys, row, m.line);
      masked_softmax_of(row, t.keys, m.line);
    }
  }
  void drop(std::int64_t line, std::int64_t n, Real* x) const {
    if (c.dropout.threshold == 0) return;
    philox_words four{};
    for (std::int64_t j = 0; j < n; ++j) {
      const auto place = static_cast<std::uint64_t>(line * c.keys + j);
      if (j == 0 || place % 4 == 0) four = c.dropout.words(place / 4);
      x[j] = c.dropout(four.word[place % 4], x[j]);
    }
  }
  /// As a tensor of weights has them: rounded, and again where a dropout scaled them.
  void drop_and_round(const tile& t, std::int64_t line, Real* x) const {
    round_run(weights, x, t.rows * t.keys);
    if (c.dropout.threshold == 0) return;
    for (std::int64_t r = 0; r < t.rows; ++r) drop(line + r, t.keys, x + r * t.keys);
    round_run(weights, x, t.rows * t.keys);
  }
  void store(std::int64_t matrix, Real* of_q, Real* of_k, std::int64_t sums, const host_target& gq, const host_target& gk, const host_target& gv) const {
    for (std::int64_t part = 1; part < parts(); ++part)
      for (std::int64_t j = 0; j < sums; ++j) of_k[j] += of_k[part * sums + j];
    if (gv.data) store_run(gv, matrix * c.keys * c.out, c.keys * c.out, of_k + c.keys * c.width);
    store_scaled(gq, matrix, c.rows * c.width, of_q);
    store_scaled(gk, matrix, c.keys * c.width, of_k);
  }
  /// The gradient of one factor of the scores, where it is wanted.
  void store_scaled(const host_target& to, std::int64_t matrix, std::int64_t n, Real* sums) const {
    if (!to.data) return;
    for (std::int64_t j = 0; j < n; ++j) sums[j] *= static_cast<Real>(c.scale);
    store_run(to, matrix * n, n, sums);
  }
};

template <>
struct attention_kernels<host_device> {
  static constexpr bool is_fused = true;
  template <class Formats, class Y, class Q, class K, class V>
  static void forward(host_context& context, const attention_call& call, const target<Y>& y, const Q& q, const K& k, const V& v) {
    host_attention<arithmetic_t<typename Formats::scores>>{call, q, k, v, format_id_v<typename Formats::weights>}.forward(context, y);
  }
  template <class Formats, class G, class Q, class K, class V, class GQ, class GK, class GV>
  static void backward(host_context& context, const attention_call& call, const G& grad, const Q& q, const K& k, const V& v, const target<GQ>& gq, const target<GK>& gk, const target<GV>& gv) {
    host_attention<arithmetic_t<typename Formats::scores>>{call, q, k, v, format_id_v<typename Formats::weights>}.backward(context, grad, gq, gk, gv);
  }
};

}}}  // namespace amphora::detail
