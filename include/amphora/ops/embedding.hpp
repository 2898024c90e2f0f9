// Rows of a table by index, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/transparent.hpp>  // op::embedding
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into, made
#include <amphora/ops/index.hpp>       // join_rows, index_kernels

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// What becomes of an embedding's gradient. The value does not depend on it.
struct embedding_settings {
  static constexpr std::int64_t no_padding = INT64_MIN;
  std::int64_t padding_idx = no_padding;  ///< this row gets no gradient; negative ones count from the end
  bool scale_grad_by_freq = false;        ///< a row's gradient is divided by how often the row was asked for
};

namespace detail {

struct row_of_index {
  std::int64_t rows;
  AMPHORA_READS template <class Index> AMPHORA_HD std::int64_t operator()(std::int64_t e, const Index& index) const {
    const std::int64_t row = index(e);
    return row >= 0 && row < rows ? row : -1;
  }
};
/// What an entry gives to its row. One that is not there was NaN on the way forward, and goes nowhere.
struct embedding_entries {
  std::int64_t rows, width, padding;
  AMPHORA_READS template <class Index> AMPHORA_HD std::int64_t row(std::int64_t e, const Index& index) const {
    const std::int64_t row = index(e);
    return row >= 0 && row < rows && row != padding ? row : -1;
  }
  AMPHORA_READS template <class Index, class G> AMPHORA_HD double value(std::int64_t e, std::int64_t column, const Index&, const G& grad) const { return static_cast<double>(grad(e * width + column)); }
  AMPHORA_HD std::int64_t place(std::int64_t row, std::int64_t column) const { return row * width + column; }
};

/// Errors  shape, index
template <class Context, class Index>
shape embedding_shape(const char* call, Context& context, const view<const Index>& indices, const shape& weight) {
  if (weight.rank() != 2) fail("shape", call, " needs weights of shape [rows, width], not ", weight);
  const shape& s = indices.shape();
  if (s.rank() == shape::max_rank) fail("shape", call, ": the value of indices of shape ", s, " would have more than 8 axes");
  if (weight[0] == 0 && s.elements() > 0) fail("index", call, " looks up ", s.elements(), " rows of none");
  index_kernels<typename Context::device>::require_within(context, call, index_of(indices), s.elements(), 0, weight[0]);
  std::int64_t extents[shape::max_rank] = {};
  for (int i = 0; i < s.rank(); ++i) extents[i] = s[i];
  extents[s.rank()] = weight[1];
  return shape(extents, s.rank() + 1);
}
/// Errors  setting
inline std::int64_t padding_row(const char* call, std::int64_t padding, std::int64_t rows) {
  if (padding == embedding_settings::no_padding) return -1;
  if (padding < -rows || padding >= rows) fail("setting", call, " has padding_idx = ", padding, " where there are ", rows, " rows");
  return padding < 0 ? padding + rows : padding;
}
/// A matrix [rows, width] of the sums of the rows of grad by index.
template <class Context, class Target, class Index, class G>
void embedding_gradient_into(Context& context, const Target& gw, const view<const Index>& indices, const view<const G>& grad, std::int64_t padding, bool by_frequency) {
  clear_target(context, gw);
  const shape& s = memory_of(gw).shape();
  join_rows(context, embedding_entries{s[0], s[1], padding}, indices.size(), s[0], s[1], by_frequency ? joined_by::mean : joined_by::sum, gradient_target(gw), index_of(indices), pool_of(grad));
}

}  // namespace detail

/// Rows of a table: weight[index] for each index, moved as they are.
///
/// indices   [...], int32 or int64, device
/// weight    [rows, width]
/// settings  for the gradient
/// Value     [..., width]
/// Errors    shape, setting; index (host: one outside the rows). On CUDA, where nobody waits to see it, its row of the value is NaN, so that the
///           finite check of the step finds it, and the gradient goes nowhere
template <class Policy, class Context, class Index, class W, std::enable_if_t<detail::is_operand_v<Index>, int> = 0>
auto embedding(Context& context, const Index& indices, const W& weight, const embedding_settings& settings = {}) {
  using namespace detail;
  using result = result_t<Policy, op::embedding, Context, W>;
  if constexpr (may_call<Policy, op::embedding, W>())
    return made<result>(context, embedding_shape("embedding", context, operand(indices), operand(weight).shape()), [&](auto y) { embedding<Policy>(context, into(y), indices, weight, settings); });
  else return result{};
}
template <class Policy, class Context, class Y, class Index, class W>
void embedding(Context& context, into<Y> y, const Index& indices, const W& weight, const embedding_settings& settings = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::embedding, Y, W>()) {
    const shape s = operand(weight).shape();
    require_shape("embedding", "an output", y.target.shape(), embedding_shape("embedding", context, operand(indices), s));
    padding_row("embedding", settings.padding_idx, s[0]);
    pick_kernels<typename Context::device>::rows(context, row_of_index{s[0]}, operand(indices).size(), s[1], write(y.target),
                                                 pool_of<read_t<Policy, op::embedding, given_t<W>, given_t<W>>>(operand(weight)), index_of(operand(indices)));
  }
}
/// The gradient of embedding: each row's sum over where it was asked for, in double in the order of the indices, so it has the same bits on every run and
/// any number of threads. Of weight only shape and format are looked at.
template <class Policy, class Context, class G, class Index, class W, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<W>, int> = 0>
auto embedding_backward(Context& context, const G& grad, const Index& indices, const W& weight, const embedding_settings& settings = {}) {
  return detail::made<detail::gradient_of_t<W, Context>>(context, detail::operand(weight).shape(), [&](auto gw) { embedding_backward<Policy>(context, into(gw), grad, indices, settings); });
}
template <class Policy, class Context, class Target, class G, class Index, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void embedding_backward(Context& context, const Target& gw, const G& grad, const Index& indices, const embedding_settings& settings = {}) {
  using namespace detail;
  const shape s = memory_of(gw).shape();
  require_shape("embedding_backward", "a gradient of the value", operand(grad).shape(), embedding_shape("embedding_backward", context, operand(indices), s));
  embedding_gradient_into(context, gw, operand(indices), operand(grad), padding_row("embedding_backward", settings.padding_idx, s[0]), settings.scale_grad_by_freq);
}

}}  // namespace amphora
