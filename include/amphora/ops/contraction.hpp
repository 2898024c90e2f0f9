// Products of two arrays over named axes: any of them kept, joined, summed or repeated, as a batch of matrix products.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/ops/add.hpp>         // times_factor
#include <amphora/ops/kernels.hpp>     // map_kernels, loops
#include <amphora/ops/matmul.hpp>      // run_matmul
#include <amphora/ops/operand.hpp>     // operand, read_as, target
#include <amphora/ops/product.hpp>     // product
#include <amphora/ops/reduction.hpp>   // sum_over, reduction_of
#include <amphora/policy/compute.hpp>  // in_memory_t
#include <amphora/tensor/shape.hpp>    // shape
#include <amphora/tensor/tensor.hpp>   // tensor_of_t

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr int max_labels = 2 * shape::max_rank;

/// c = Σ a · b, each axis of the three arrays under a label. A label that c lacks is summed, one that an operand lacks is broadcast in it, one
/// that an array has twice is its diagonal. The gradients of the operands are of the same kind.
struct contraction {
  shape of[3];                            ///< of a, b and c
  int label[3][shape::max_rank] = {};     ///< of each axis, from 0 on; −1 where the extent is 1

  /// The gradient of a, of the operands (c, b); and of b, of (a, c).
  contraction for_a() const { return swapped(0); }
  contraction for_b() const { return swapped(1); }

 private:
  contraction swapped(int operand) const {
    contraction x = *this;
    x.of[operand] = of[2], x.of[2] = of[operand];
    for (int axis = 0; axis < shape::max_rank; ++axis) x.label[operand][axis] = label[2][axis], x.label[2][axis] = label[operand][axis];
    return x;
  }
};

/// Labels of one kind, in the order of their loops.
struct label_list {
  int count = 0, label[max_labels] = {};
};
/// Some labels as one axis: its extent, and its stride in an array, −1 where the array has no single one.
struct joined_axis {
  std::int64_t extent = 1, stride = 0;
};
/// How an array lies for a product.
enum class matrix_layout { none, rows, columns };

/// What becomes of each label: batch, rows m and columns n of the result, summed k, what a single operand has or the result alone.
struct contraction_plan {
  std::int64_t extent[max_labels] = {}, stride[3][max_labels] = {};
  label_list batch, m, n, k, only_a, only_b, only_c;
  bool is_diagonal = false;  ///< c has a label twice
  bool has_terms = true;     ///< no summed label is empty

  explicit contraction_plan(const contraction& x) {
    bool has[3][max_labels] = {};
    int labels = 0;
    for (int array = 0; array < 3; ++array)
      for (int axis = 0; axis < x.of[array].rank(); ++axis) {
        const int label = x.label[array][axis];
        if (label < 0) continue;
        if (label >= labels) labels = label + 1;
        if (array == 2 && has[2][label]) is_diagonal = true;
        has[array][label] = true, extent[label] = x.of[array][axis];
        stride[array][label] += x.of[array].product(axis + 1, x.of[array].rank());
      }
    for (int label = 0; label < labels; ++label) {
      const bool a = has[0][label], b = has[1][label], c = has[2][label];
      if (!a && !b && !c) continue;
      if (!c && extent[label] == 0) has_terms = false;
      label_list& list = a && b ? (c ? batch : k) : a ? (c ? m : only_a) : b ? (c ? n : only_b) : only_c;
      list.label[list.count++] = label;
    }
    for (label_list* list : {&batch, &m, &n, &only_c}) order(*list, 2);
    order(k, 0), order(only_a, 0), order(only_b, 1);
  }

  bool is_elementwise() const { return k.count == 0 && only_a.count == 0 && only_b.count == 0 && !is_diagonal; }
  /// All labels of c, in the order of its memory.
  label_list of_result() const {
    label_list all;
    for (const label_list* list : {&batch, &m, &n, &only_c}) append(all, *list);
    order(all, 2);
    return all;
  }
  static void append(label_list& to, const label_list& more) {
    for (int i = 0; i < more.count; ++i) to.label[to.count++] = more.label[i];
  }
  joined_axis joined(const label_list& list, const std::int64_t* strides) const {
    joined_axis result;
    for (int i = list.count - 1; i >= 0; --i) {
      const int label = list.label[i];
      if (result.extent == 1) result.stride = strides[label];
      else if (strides[label] != result.stride * result.extent) return {count_of(list), -1};
      result.extent *= extent[label];
    }
    return result;
  }
  matrix_layout layout(const label_list& rows, const label_list& columns, const std::int64_t* strides) const {
    const joined_axis down = joined(rows, strides), across = joined(columns, strides);
    if (down.stride < 0 || across.stride < 0) return matrix_layout::none;
    if ((across.extent == 1 || across.stride == 1) && (down.extent == 1 || down.stride == across.extent)) return matrix_layout::rows;
    if ((down.extent == 1 || down.stride == 1) && (across.extent == 1 || across.stride == down.extent)) return matrix_layout::columns;
    return matrix_layout::none;
  }
  std::int64_t count_of(const label_list& list) const {
    std::int64_t result = 1;
    for (int i = 0; i < list.count; ++i) result *= extent[list.label[i]];
    return result;
  }
  /// The strides of a dense array of these labels.
  void make_dense(const label_list& list, std::int64_t (&strides)[max_labels]) const {
    std::int64_t size = 1;
    for (int i = list.count - 1; i >= 0; size *= extent[list.label[i--]]) strides[list.label[i]] = size;
  }

 private:
  void order(label_list& list, int array) const {
    for (int i = 1; i < list.count; ++i)
      for (int j = i; j > 0 && stride[array][list.label[j - 1]] < stride[array][list.label[j]]; --j) {
        const int other = list.label[j];
        list.label[j] = list.label[j - 1], list.label[j - 1] = other;
      }
  }
};

/// The loops over a dense array of these labels, with operands that lie so.
template <class... Strides>
loops<static_cast<int>(sizeof...(Strides))> loops_over(const contraction_plan& plan, const label_list& list, const Strides*... strides) {
  constexpr int operands = static_cast<int>(sizeof...(Strides));
  const std::int64_t* const all[] = {strides...};
  loops<operands> over;
  for (int i = 0; i < list.count; ++i) {
    const int label = list.label[i];
    bool joins = over.rank > 0;
    for (int o = 0; o < operands && joins; ++o) joins = over.stride[o][over.rank - 1] == all[o][label] * plan.extent[label];
    if (!joins) over.extent[over.rank++] = 1;
    over.extent[over.rank - 1] *= plan.extent[label], over.elements *= plan.extent[label];
    for (int o = 0; o < operands; ++o) over.stride[o][over.rank - 1] = all[o][label];
  }
  return over;
}

struct multiplied {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b) const { return a * b; }
};
/// 0 off the diagonals: where two axes of one label differ.
struct on_diagonal {
  int rank = 0, first[shape::max_rank] = {};  ///< the first axis of the same label
  std::int64_t extent[shape::max_rank] = {};
  template <class Real> AMPHORA_HD Real operator()(std::int64_t i, Real x) const {
    std::int64_t at[shape::max_rank] = {};
    for (int axis = rank - 1; axis >= 0; --axis) at[axis] = i % extent[axis], i /= extent[axis];
    for (int axis = 0; axis < rank; ++axis)
      if (at[axis] != at[first[axis]]) return Real(0);
    return x;
  }
};

/// Gives use(view, strides, is transposed) an operand as matrices [rows, columns]: in place, or arranged so, the labels that it has alone summed.
template <class Read, class Accumulate, class Context, class X, class Use>
void with_matrices(Context& context, const contraction_plan& plan, int array, const label_list& rows, const label_list& columns, const label_list& alone, const view<const X>& x, Use&& use) {
  using device = typename Context::device;
  using memory = in_memory_t<Read>;
  const matrix_layout layout = plan.layout(rows, columns, plan.stride[array]);
  if (alone.count == 0 && layout != matrix_layout::none) return use(x, plan.stride[array], layout == matrix_layout::columns);
  label_list order = plan.batch;
  contraction_plan::append(order, rows), contraction_plan::append(order, columns);
  std::int64_t strides[max_labels] = {};
  plan.make_dense(order, strides);
  const std::int64_t n = plan.count_of(order), terms = plan.count_of(alone);
  contraction_plan::append(order, alone);
  tensor_of_t<memory, Context> arranged(context, shape{n, terms});
  map_kernels<device>::run(context, times_factor{1}, loops_over(plan, order, plan.stride[array]), write(arranged.view()), read_as<Read>(x));
  if (alone.count == 0) return use(operand(arranged), strides, false);
  tensor_of_t<memory, Context> sums(context, shape{n});
  sum_over<Accumulate>(context, write(sums.view()), read(operand(arranged)), reduction_of(shape{n, terms}, axis_set::of({1}, 2)), 1);
  use(operand(sums), strides, false);
}

/// c = Σ a · b, rounded once. Operands that lie as matrices, or as their transposes, are read in place.
template <class Read, class Accumulate, class Context, class C, class A, class B>
void contract(Context& context, const contraction& x, const target<C>& c, const view<const A>& a, const view<const B>& b) {
  using device = typename Context::device;
  if (x.of[2].elements() == 0) return;
  const contraction_plan plan(x);
  if (!plan.has_terms) {
    product nothing;
    nothing.m = x.of[2].elements(), nothing.n = 1;
    return run_matmul<Read, Accumulate>(context, nothing, c, a, b);
  }
  if (plan.is_elementwise())
    return map_kernels<device>::run(context, multiplied{}, loops_over(plan, plan.of_result(), plan.stride[0], plan.stride[1]), c, read_as<in_memory_t<Read>>(a), read_as<in_memory_t<Read>>(b));

  const matrix_layout layout = plan.only_c.count > 0 || plan.is_diagonal ? matrix_layout::none : plan.layout(plan.m, plan.n, plan.stride[2]);
  std::int64_t strides[max_labels] = {};  // of c, or of the sums
  if (layout == matrix_layout::none) {
    label_list order = plan.batch;
    contraction_plan::append(order, plan.m), contraction_plan::append(order, plan.n);
    plan.make_dense(order, strides);
  } else {
    for (int i = 0; i < max_labels; ++i) strides[i] = plan.stride[2][i];
  }
  const auto multiply = [&](const auto& to, const auto& first, const std::int64_t* of_first, bool first_transposed, const auto& second, const std::int64_t* of_second, bool second_transposed, bool swapped) {
    product p;
    p.m = plan.count_of(swapped ? plan.n : plan.m), p.n = plan.count_of(swapped ? plan.m : plan.n), p.k = plan.count_of(plan.k);
    p.a_transposed = first_transposed, p.b_transposed = second_transposed;
    for (int i = 0; i < plan.batch.count; ++i) {
      const int label = plan.batch.label[i];
      p.kept.add(plan.extent[label], of_first[label], of_second[label], strides[label]);
    }
    run_matmul<Read, Accumulate>(context, p, to, first, second);
  };
  const auto run = [&](const auto& to) {
    // A result that lies as [n, m] is the product of the transposes in the other order.
    if (layout == matrix_layout::columns)
      with_matrices<Read, Accumulate>(context, plan, 1, plan.n, plan.k, plan.only_b, b, [&](const auto& second, const std::int64_t* of_second, bool second_transposed) {
        with_matrices<Read, Accumulate>(context, plan, 0, plan.k, plan.m, plan.only_a, a, [&](const auto& first, const std::int64_t* of_first, bool first_transposed) {
          multiply(to, second, of_second, second_transposed, first, of_first, first_transposed, true);
        });
      });
    else
      with_matrices<Read, Accumulate>(context, plan, 0, plan.m, plan.k, plan.only_a, a, [&](const auto& first, const std::int64_t* of_first, bool first_transposed) {
        with_matrices<Read, Accumulate>(context, plan, 1, plan.k, plan.n, plan.only_b, b, [&](const auto& second, const std::int64_t* of_second, bool second_transposed) {
          multiply(to, first, of_first, first_transposed, second, of_second, second_transposed, false);
        });
      });
  };
  if (layout != matrix_layout::none) return run(c);
  tensor_of_t<arithmetic_format_t<Read, Accumulate>, Context> sums(context, shape{plan.count_of(plan.batch) * plan.count_of(plan.m) * plan.count_of(plan.n)});
  run(write(sums.view()));
  if (!plan.is_diagonal) return map_kernels<device>::run(context, times_factor{1}, loops_over(plan, plan.of_result(), strides), c, read(operand(sums)));
  on_diagonal f;
  loops<1> over;
  over.elements = x.of[2].elements(), over.rank = f.rank = x.of[2].rank();
  for (int axis = 0; axis < over.rank; ++axis) {
    const int label = x.label[2][axis];
    f.extent[axis] = over.extent[axis] = x.of[2][axis];
    for (f.first[axis] = 0; x.label[2][f.first[axis]] != label; ++f.first[axis]) {}
    if (label < 0) f.first[axis] = axis;
    over.stride[0][axis] = label < 0 || f.first[axis] != axis ? 0 : strides[label];
  }
  map_kernels<device>::run(context, f, over, c, read(operand(sums)));
}

}}}  // namespace amphora::detail
