// What an attention is asked for and the sizes that follow: its matrices, its scores, how a mask lies over them, and which are held at once.
#pragma once
#include <amphora/format/format_id.hpp>       // format_id
#include <amphora/ops/dropout.hpp>            // dropout_settings
#include <amphora/ops/kernels.hpp>            // broadcast
#include <amphora/ops/masked_softmax.hpp>     // masked_lines
#include <amphora/ops/matmul.hpp>             // matmul_sizes
#include <amphora/ops/operand.hpp>            // into, add_to, no_gradient
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product
#include <amphora/tensor/shape.hpp>           // shape
#include <amphora/tensor/view.hpp>            // view

#include <algorithm>  // max, min
#include <cmath>      // sqrt
#include <cstdint>    // int64_t
#include <limits>     // numeric_limits

namespace amphora { inline namespace AMPHORA_ABI {

/// How an attention is scored.
struct attention_settings {
  bool causal = false;               ///< query i sees the keys up to i, counted from the first of both; a mask may hold beside it
  double scale = 0;                  ///< of the products of queries and keys; 0 for 1 / √width
  bool grouped = false;              ///< several heads of queries, one after the other, share one of keys and values
  dropout_settings dropout = {0};    ///< of the weights
  std::int64_t scores_at_once = std::int64_t(1) << 26;  ///< the most scores that are held, if one head has no more: heads beyond it wait their turn
};
/// Says that every query sees every key.
struct no_mask {};

namespace detail {

/// Some of an attention's matrices: a range along one axis of the batch, with all that lies behind it.
struct attention_part {
  shape batch;    ///< the axes before the last two
  int axis = -1;  ///< -1: all of them
  std::int64_t index[shape::max_rank] = {};  ///< where it begins, on this axis and those before
  std::int64_t count = 0;

  /// What belongs to it of an operand or a mask, whose axes broadcast to the batch's; along one with several heads for each matrix, all those heads.
  template <class T> view<T> operator()(const view<T>& x) const {
    if (axis < 0) return x;
    const shape& s = x.shape();
    const int lacks = batch.rank() + 2 - s.rank();
    std::int64_t first = 0, extents[shape::max_rank] = {};
    int rank = 0;
    for (int i = 0; i < s.rank(); ++i) {
      const int at = i + lacks;
      const std::int64_t heads = at <= axis && s[i] != 1 ? s[i] / batch[at] : 0;
      if (heads > 0) first += index[at] * heads * s.product(i + 1, s.rank());
      if (at >= axis) extents[rank++] = heads > 0 ? count * heads : s[i];
    }
    return view<T>(x.data() + first, shape(extents, rank));
  }
  template <class T> into<T> operator()(const into<T>& y) const { return into<T>((*this)(y.target)); }
  template <class T> add_to<T> operator()(const add_to<T>& y) const { return add_to<T>((*this)(y.target)); }
  no_gradient operator()(no_gradient none) const { return none; }
  no_mask operator()(no_mask none) const { return none; }
  /// How many matrices lie before it.
  std::int64_t matrices_before() const {
    std::int64_t result = 0;
    for (int i = 0; i <= axis; ++i) result = result * batch[i] + index[i];
    return axis < 0 ? 0 : result * batch.product(axis + 1, batch.rank());
  }
};

/// All parts of an attention.
class attention_parts {
 public:
  /// scores   of one matrix
  /// at_once  ≥ 1
  attention_parts(const shape& batch, std::int64_t scores, std::int64_t at_once) : batch_(batch) {
    if (batch.rank() == 0 || batch.elements() == 0 || scores <= at_once / batch.elements()) return;
    for (axis_ = 0; axis_ + 1 < batch.rank() && scores > at_once / batch.product(axis_ + 1, batch.rank());) ++axis_;
    step_ = (std::min)((std::max)(at_once / (scores * batch.product(axis_ + 1, batch.rank())), std::int64_t(1)), batch[axis_]);
    ranges_ = (batch[axis_] + step_ - 1) / step_, count_ = batch.product(0, axis_) * ranges_;
  }
  std::int64_t count() const { return count_; }
  attention_part operator[](std::int64_t i) const {
    attention_part result;
    result.batch = batch_, result.axis = axis_;
    if (axis_ < 0) return result;
    result.index[axis_] = i % ranges_ * step_, result.count = (std::min)(step_, batch_[axis_] - result.index[axis_]);
    std::int64_t rest = i / ranges_;
    for (int at = axis_ - 1; at >= 0; --at) result.index[at] = rest % batch_[at], rest /= batch_[at];
    return result;
  }

 private:
  shape batch_;
  int axis_ = -1;
  std::int64_t step_ = 0, ranges_ = 1, count_ = 1;
};

/// The sizes of an attention: q [..., queries, width], k [..., keys, width], v [..., keys, out].
struct attention_sizes {
  symmetric_product scores, values;  ///< q · kᵀ; weights · v
  shape score, value;
  std::int64_t queries = 0, keys = 0;
  bool is_even = false;  ///< nothing is broadcast: each matrix has its own q, k and v

  attention_sizes(const char* call, const shape& q, const shape& k, const shape& v, const attention_settings& settings) {
    if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2 || q[-1] != k[-1] || k[-2] != v[-2])
      fail("shape", call, " cannot join q of shape ", q, ", k of shape ", k, " and v of shape ", v, "; they are [..., queries, width], [..., keys, width], [..., keys, out]");
    if (settings.scores_at_once < 1) fail("setting", call, " has scores_at_once = ", settings.scores_at_once, "; it must be at least 1");
    queries = q[-2], keys = k[-2];
    shape batch_q = matmul_sizes::leading(q);
    const shape batch_k = matmul_sizes::leading(k), batch_v = matmul_sizes::leading(v);
    std::int64_t shared = 1;  // heads of queries for one of keys: they follow each other, so that they are rows of one matrix
    if (settings.grouped) {
      if (q.rank() < 3 || k.rank() < 3 || v.rank() < 3 || k[-3] != v[-3] || k[-3] == 0 || q[-3] % k[-3] != 0)
        fail("shape", call, " cannot group the heads of q of shape ", q, " by those of k of shape ", k, " and v of shape ", v, "; q has a multiple of their heads, on the third axis from the end");
      shared = q[-3] / k[-3], batch_q = batch_q.with(-1, k[-3]);
    }
    const shape batch_s = broadcast(call, batch_q, batch_k), batch = broadcast(call, batch_s, batch_v);
    const double scale = settings.scale != 0 ? settings.scale : q[-1] == 0 ? 1 : 1 / std::sqrt(static_cast<double>(q[-1]));
    scores = {shared * queries, keys, q[-1], false, true, batch_s, batch_q, batch_k, batch_s, scale};
    values = {shared * queries, v[-1], keys, false, false, batch, batch_s, batch_v, batch, 1};
    is_even = batch_q == batch && batch_k == batch && batch_v == batch;
    score = matrices(batch_s, shared, queries, keys), value = matrices(batch, shared, queries, v[-1]);
  }

  /// What is worked on at once. Where operands are broadcast, so that their gradients are sums over matrices, and where the dropout of a matrix
  /// begins amid one of Philox's four words, that is everything.
  attention_parts parts(const attention_settings& settings) const {
    const std::int64_t of_matrix = scores.m * keys;
    const bool can_part = is_even && of_matrix > 0 && (settings.dropout.probability == 0 || of_matrix % 4 == 0);
    return attention_parts(values.batch, of_matrix, can_part ? settings.scores_at_once : (std::numeric_limits<std::int64_t>::max)());
  }

  /// Over the scores' lines.
  masked_lines lines(bool causal) const {
    masked_lines result;
    result.lines = score.product(0, score.rank() - 1), result.length = keys, result.rows = queries > 0 ? queries : 1, result.causal = causal;
    return result;
  }
  /// The same with a mask, of a shape that broadcasts to the scores'.
  ///
  /// Errors  shape
  masked_lines lines(const char* call, bool causal, const void* mask, const shape& own, format_id added) const {
    if (broadcast(call, own, score) != score) fail("shape", call, " cannot broadcast a mask of shape ", own, " to the scores' ", score);
    masked_lines result = lines(causal);
    result.mask = mask, result.added = added;
    for (int axis = 0; axis < score.rank(); ++axis) {
      const int at = axis - (score.rank() - own.rank());
      const std::int64_t stride = at < 0 || own[at] == 1 ? 0 : own.product(at + 1, own.rank());
      if (axis == score.rank() - 1) result.step = stride;
      else if (score[axis] != 1) result.over.extent[result.over.rank] = score[axis], result.over.stride[0][result.over.rank++] = stride;
    }
    return result;
  }

 private:
  static shape matrices(const shape& batch, std::int64_t shared, std::int64_t rows, std::int64_t columns) {
    std::int64_t extents[shape::max_rank + 2] = {};
    for (int i = 0; i < batch.rank(); ++i) extents[i] = batch[i];
    if (batch.rank() > 0) extents[batch.rank() - 1] *= shared;
    extents[batch.rank()] = rows, extents[batch.rank() + 1] = columns;
    return shape(extents, batch.rank() + 2);
  }
};

}  // namespace detail
}}  // namespace amphora
