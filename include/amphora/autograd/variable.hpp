// A value that remembers what made it, so that gradients can be taken.
#pragma once
#include <amphora/error.hpp>          // fail
#include <amphora/ops/operand.hpp>    // is_operand_v
#include <amphora/tensor/tensor.hpp>  // tensor
#include <amphora/tensor/view.hpp>    // view

#include <cstdint>      // int64_t
#include <memory>       // shared_ptr
#include <type_traits>  // is_same_v
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

template <class T, class Context, class Gradient = T> class variable;
template <class Context> class gradient_pass;

namespace detail {

/// How one op turns the gradient of its value into gradients of its inputs.
template <class Context>
class producer {
 public:
  virtual ~producer() = default;
  /// Reads the gradient that was collected for the value, and adds to those of the inputs.
  virtual void run(gradient_pass<Context>& pass) = 0;
  /// Lets go of the inputs. Producers that nobody else holds go to `last`, so that a long chain of ops ends without recursion.
  virtual void release(std::vector<std::shared_ptr<producer>>& last) = 0;

  /// release, for this one and for all that ends with it.
  void release_all() {
    std::vector<std::shared_ptr<producer>> last;
    release(last);
    while (!last.empty()) {
      const auto next = std::move(last.back());
      last.pop_back();
      if (next.use_count() == 1) next->release(last);
    }
  }
  bool is_released = false;  ///< by a pass
};

/// One value of the graph, whatever its type.
template <class Context>
struct cell_base {
  virtual ~cell_base() = default;
  std::shared_ptr<producer<Context>> made_by;  ///< null for a leaf
  std::int64_t depth = 0;                      ///< one more than that of the deepest input: the order of a pass
  bool needs_gradient = false;
  bool is_queued = false;                      ///< in the pass that runs
  bool is_wanted = false;                      ///< its gradient is an answer of the pass that runs

  /// The gradient is complete: hooks are called.
  virtual void complete() = 0;
  /// A leaf's turn: its gradient goes where it belongs.
  virtual void finish(gradient_pass<Context>& pass) = 0;
  /// Lets go of what was collected.
  virtual void forget() = 0;
};

/// What is called with a complete gradient; may give another in its place.
template <class Context, class Gradient> class gradient_hook {
 public:
  virtual ~gradient_hook() = default;
  virtual variable<Gradient, Context> call(const variable<Gradient, Context>& gradient) = 0;
};

template <class T, class Context, class Gradient>
struct cell final : cell_base<Context> {
  using gradient_cell = cell<Gradient, Context, Gradient>;

  std::shared_ptr<tensor<T, Context>> owned;   ///< empty for somebody else's memory
  view<const T> value;
  std::shared_ptr<gradient_cell> collected;    ///< by the pass that runs
  std::shared_ptr<gradient_cell> gradient;     ///< a leaf's, after passes
  view<Gradient> sink;                         ///< memory of the caller's for a leaf's gradient
  bool has_sink = false, sink_is_filled = false;
  std::vector<std::unique_ptr<gradient_hook<Context, Gradient>>> hooks;

  ~cell() override {
    if (this->made_by && this->made_by.use_count() == 1) this->made_by->release_all();
  }
  void complete() override {
    if (!collected) return;
    for (const auto& hook : hooks)
      if (auto other = hook->call(variable<Gradient, Context>(collected))) collected = other.shared();
  }
  void finish(gradient_pass<Context>& pass) override;
  void forget() override { collected.reset(); }
};

}  // namespace detail

/// A dense array in a graph of ops: a handle, cheap to copy.
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

  variable() = default;
  explicit variable(std::shared_ptr<cell_type> its_cell) : cell_(std::move(its_cell)) {}
  /// A constant that owns its memory.
  explicit variable(tensor<T, Context> value) : cell_(std::make_shared<cell_type>()) {
    cell_->owned = std::make_shared<tensor<T, Context>>(std::move(value)), cell_->value = *cell_->owned;
  }
  /// A constant in memory that must outlive it.
  explicit variable(view<const T> value) : cell_(std::make_shared<cell_type>()) { cell_->value = value; }

  explicit operator bool() const { return cell_ != nullptr; }
  view<const T> value() const { return own().value; }
  const amphora::shape& shape() const { return own().value.shape(); }
  std::int64_t size() const { return shape().elements(); }
  bool needs_gradient() const { return cell_ && cell_->needs_gradient; }
  bool is_leaf() const { return !own().made_by; }
  /// A leaf's gradient after a backward pass: empty where none reached it.
  variable<Gradient, Context> gradient() const { return variable<Gradient, Context>(own().gradient); }
  void clear_gradient() { own().gradient.reset(), own().sink_is_filled = false; }
  /// The same values, as a constant.
  variable detach() const {
    auto result = std::make_shared<cell_type>();
    result->owned = own().owned, result->value = own().value;
    return variable(std::move(result));
  }
  /// Calls function(gradient) when this value's gradient is complete. Where it returns a variable, that is the gradient from there on.
  template <class Function> void on_gradient(Function function) {
    own().hooks.push_back(std::make_unique<hook<Function>>(std::move(function)));
  }

  const std::shared_ptr<cell_type>& shared() const { return cell_; }

 private:
  cell_type& own() const {
    if (!cell_) detail::fail("used-twice", "this variable is empty; it was never given a value");
    return *cell_;
  }
  template <class Function>
  class hook final : public detail::gradient_hook<Context, Gradient> {
   public:
    explicit hook(Function function) : function_(std::move(function)) {}
    variable<Gradient, Context> call(const variable<Gradient, Context>& gradient) override {
      if constexpr (std::is_void_v<decltype(function_(gradient))>) return function_(gradient), variable<Gradient, Context>();
      else return function_(gradient);
    }

   private:
    Function function_;
  };

  std::shared_ptr<cell_type> cell_;
};

template <class X> inline constexpr bool is_variable_v = false;
template <class T, class Context, class Gradient> inline constexpr bool is_variable_v<variable<T, Context, Gradient>> = true;

namespace detail {
template <class T, class Context, class Gradient> view<const T> operand(const variable<T, Context, Gradient>& x) { return x.value(); }
}  // namespace detail

}}  // namespace amphora
