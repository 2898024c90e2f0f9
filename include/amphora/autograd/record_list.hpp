// How an op of a list of inputs joins the graph, where their number is known when the program runs.
#pragma once
#include <amphora/autograd/record.hpp>    // producer, let_go
#include <amphora/autograd/tape.hpp>      // tape
#include <amphora/autograd/variable.hpp>  // variable, is_variable_v
#include <amphora/ops/operand_list.hpp>   // listed_t
#include <amphora/tensor/tensor.hpp>      // tensor

#include <algorithm>    // max, none_of
#include <iterator>     // begin, end
#include <memory>       // make_shared, weak_ptr
#include <optional>     // optional
#include <type_traits>  // enable_if_t
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class List> inline constexpr bool is_variable_list_v = is_variable_v<listed_t<List>>;
template <class List> using if_variable_list_t = std::enable_if_t<is_variable_list_v<List>, int>;
template <class List> std::vector<listed_t<List>> variables_of(const List& list) { return std::vector<listed_t<List>>(std::begin(list), std::end(list)); }

template <class T, class Context, class Op, class Input>
class recorded_list final : public producer<Context> {
  using typename producer<Context>::any_cell;
  using value_cell = cell<T, Context, T>;

 public:
  recorded_list(const std::shared_ptr<value_cell>& value, Op op, std::vector<Input> inputs) : value_(value), op_(std::move(op)), inputs_(std::move(inputs)) {}

  void run(gradient_pass<Context>& pass, const any_cell& gradient) override {
    op_->backward(pass, variable<T, Context>(std::static_pointer_cast<value_cell>(gradient)), variable<T, Context>(value_.lock()), inputs_);
  }
  void add_inputs(std::vector<any_cell>& inputs) const override {
    for (const Input& input : inputs_)
      if (input.needs_gradient()) inputs.push_back(input.shared());
  }
  bool reaches_more() const override { return false; }
  void release(std::vector<std::shared_ptr<producer<Context>>>& last) override {
    op_.reset();
    for (Input& input : inputs_) let_go(input, last);
  }
  bool is_released() const override { return !op_; }

 private:
  std::weak_ptr<value_cell> value_;  // its value holds this
  std::optional<Op> op_;
  std::vector<Input> inputs_;
};

}  // namespace detail

/// record (autograd/record.hpp) of an op of a list.
///
/// op      has backward(pass, gradient, value, inputs), which gets the list as a std::vector
/// inputs  variables of one type
template <class T, class Context, class Op, class Input>
variable<T, Context> record_list(const tape<Context>& recording, tensor<T, Context> value, Op op, std::vector<Input> inputs) {
  variable<T, Context> result(std::move(value));
  if (!recording.records() || std::none_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.needs_gradient(); })) return result;
  auto& cell = *result.shared();
  cell.needs_gradient = true;
  for (const Input& input : inputs) cell.depth = (std::max)(cell.depth, input ? input.shared()->depth + 1 : 0);
  cell.made_by = std::make_shared<detail::recorded_list<T, Context, Op, Input>>(result.shared(), std::move(op), std::move(inputs));
  return result;
}

}}  // namespace amphora
