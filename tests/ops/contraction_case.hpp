// Reference cases of products of two arrays over axes of theirs.
#pragma once
#include <ops/golden.hpp>

namespace golden {

/// Value and gradients of one case in the formats where the arithmetic differs: how often it was run.
template <class Value, class Gradients>
int run_contraction(test_context& context, const test_case& c, const char* first, const char* second, const Value& value_of, const Gradients& gradients_of) {
  int run = 0;
  const array a = c.input(first), b = c.input(second);
  const auto in = [&](auto s) {
    using setting = decltype(s);
    using T = typename setting::input;
    if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
    ++run;
    const typename setting::policy policy{};
    const auto x = a.template to<T>(context), y = b.template to<T>(context);
    const double length = static_cast<double>(a.values.size() + b.values.size()), computed = amp::compute_t<typename setting::policy, amp::op::einsum, amp::format_of_t<T>>::unit_roundoff;
    const auto value = value_of(policy, x, y);
    // A sum over axes of one operand alone is rounded to what is multiplied.
    compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest(), length, computed * length * a.largest() * b.largest());
    const auto g = upstream<std::remove_const_t<decltype(value)>>(context, c);
    const double largest = c.grad_output().largest() * (std::max)(a.largest(), b.largest()) * (length + static_cast<double>(c.output().values.size() + 1));
    const auto of = gradients_of(policy, g, x, y);
    compare(context, c.name() + " a", of.first, c.gradient(first), setting::roundoff, largest, length, computed * largest);
    compare(context, c.name() + " b", of.second, c.gradient(second), setting::roundoff, largest, length, computed * largest);
  };
  in(setting<amp::o0<>, amp::f64>{}), in(setting<amp::o1<amp::f16>, amp::f32>{}), in(setting<amp::o1<amp::bf16>, amp::bf16>{});
  return run;
}

}  // namespace golden
