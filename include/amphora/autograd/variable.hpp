// A value that remembers what made it, so that gradients can be taken.
#pragma once
#include <amphora/error.hpp>          // fail
#include <amphora/ops/operand.hpp>    // operand
#include <amphora/tensor/tensor.hpp>  // tensor
#include <amphora/tensor/view.hpp>    // view

#include <cstdint>      // int64_t
#include <memory>       // shared_ptr
#include <type_traits>  // is_void_v
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

template <class T, class Context, class Gradient = T> class variable;
template <class Context> class gradient_pass;

namespace detail {

template <class Context> class producer;

/// One value of the graph, whatever its type. What a pass knows of it is kept by the pass, so that passes can nest, and one
/// that ends by an exception leaves nothing behind.
template <class Context>
struct cell_base {
  virtual ~cell_base() = default;
  std::shared_ptr<producer<Context>> made_by;  ///< null for a leaf and a constant
  std::int64_t depth = 0;                      ///< one more than that of the deepest input: the order of a pass
  bool needs_gradient = false;

  /// The gradient that goes on from here: what the hooks make of it.
  virtual std::shared_ptr<cell_base> hooked(std::shared_ptr<cell_base> gradient) const = 0;
  /// A leaf's turn: its gradient goes where it belongs.
  virtual void finish(gradient_pass<Context>& pass, const std::shared_ptr<cell_base>& gradient) = 0;
};

/// What is called with a complete gradient; may give another in its place.
template <class Context, class Gradient>
class gradient_hook {
 public:
  virtual ~gradient_hook() = default;
  virtual variable<Gradient, Context> call(const variable<Gradient, Context>& gradient) = 0;
};
template <class Context, class Gradient, class Function>
class hook_of final : public gradient_hook<Context, Gradient> {
 public:
  explicit hook_of(Function function) : function_(std::move(function)) {}
  variable<Gradient, Context> call(const variable<Gradient, Context>& gradient) override {
    if constexpr (std::is_void_v<decltype(function_(gradient))>) return function_(gradient), gradient;
    else return function_(gradient);
  }

 private:
  Function function_;
};

template <class T, class Context, class Gradient>
struct cell final : cell_base<Context> {
  using gradient_cell = cell<Gradient, Context, Gradient>;
  using any_cell = std::shared_ptr<cell_base<Context>>;

  std::shared_ptr<tensor<T, Context>> owned;  ///< empty for somebody else's memory
  view<const T> value;
  std::shared_ptr<gradient_cell> gradient;    ///< a leaf's, after passes
  view<Gradient> sink;                        ///< memory of the caller's for a leaf's gradient
  bool has_sink = false, sink_is_filled = false;
  std::vector<std::unique_ptr<gradient_hook<Context, Gradient>>> hooks;

  ~cell() override {
    if (this->made_by && this->made_by.use_count() == 1) this->made_by->release_all();
  }
  any_cell hooked(any_cell gradient_of_value) const override;
  void finish(gradient_pass<Context>& pass, const any_cell& gradient_of_value) override;
};

}  // namespace detail

/// A dense array in a graph of ops: a handle, cheap to copy. The graph is owned by the values made in it, and ends with them;
/// it belongs to one thread at a time.
///
/// T         storage type of its values
/// Context   where they are
/// Gradient  storage type of its gradient
template <class T, class Context, class Gradient>
class variable {
 public:
  using value_type = T;
  using format = format_of_t<T>;
  using context_type = Context;
  using gradient_type = Gradient;
  using cell_type = detail::cell<T, Context, Gradient>;

  /// Empty: what grad gives for a variable that a value does not depend on.
  variable() = default;
  /// A constant that owns its memory.
  explicit variable(tensor<T, Context> value) : cell_(std::make_shared<cell_type>()) {
    cell_->owned = std::make_shared<tensor<T, Context>>(std::move(value)), cell_->value = *cell_->owned;
  }
  /// A constant in memory that must outlive it.
  explicit variable(view<const T> value) : cell_(std::make_shared<cell_type>()) { cell_->value = value; }
  /// For the library.
  explicit variable(std::shared_ptr<cell_type> its_cell) : cell_(std::move(its_cell)) {}
  const std::shared_ptr<cell_type>& shared() const { return cell_; }

  /// Whether it is not empty.
  explicit operator bool() const { return cell_ != nullptr; }
  view<const T> value() const { return own().value; }
  const amphora::shape& shape() const { return own().value.shape(); }
  std::int64_t size() const { return shape().elements(); }
  bool needs_gradient() const { return cell_ && cell_->needs_gradient; }
  bool is_leaf() const { return !own().made_by; }

  /// A leaf's gradient after backward passes, in memory of its own or of the caller's: empty where none reached it.
  variable<Gradient, Context> gradient() const {
    if (own().has_sink && own().sink_is_filled) return variable<Gradient, Context>(view<const Gradient>(own().sink));
    return variable<Gradient, Context>(own().gradient);
  }
  /// The next pass writes a leaf's gradient anew instead of adding to it.
  void clear_gradient() { own().gradient.reset(), own().sink_is_filled = false; }

  /// The same values, in the same memory, as a constant.
  variable detach() const { return in_same_memory<Gradient>(shape()); }
  /// For the library: the same as a constant of another shape.
  template <class OtherGradient = T> variable<T, Context, OtherGradient> in_same_memory(const amphora::shape& other) const {
    auto result = std::make_shared<detail::cell<T, Context, OtherGradient>>();
    result->owned = own().owned, result->value = own().value.reshaped(other);
    return variable<T, Context, OtherGradient>(std::move(result));
  }

  /// In every pass from now on, calls function(gradient) when this value's gradient is complete.
  ///
  /// function  gives nothing, or a variable of the same shape: the gradient from there on. What it holds lives as long as the
  ///           value; if it held the value itself, both would stay forever
  template <class Function> void on_gradient(Function function) {
    own().hooks.push_back(std::make_unique<detail::hook_of<Context, Gradient, Function>>(std::move(function)));
  }

 private:
  cell_type& own() const {
    if (!cell_) detail::fail("empty-variable", "a variable without a value was used; it was default-made, or is the gradient of what a value does not depend on");
    return *cell_;
  }

  std::shared_ptr<cell_type> cell_;
};

template <class X> inline constexpr bool is_variable_v = false;
template <class T, class Context, class Gradient> inline constexpr bool is_variable_v<variable<T, Context, Gradient>> = true;

}}  // namespace amphora
