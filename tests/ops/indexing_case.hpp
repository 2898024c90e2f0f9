// Reference cases of ops that move numbers, find them by index or resample them: formats, and what is compared how.
#pragma once
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

#include <cstdint>
#include <vector>

namespace golden {

/// The formats in which numbers lie differently, each under a policy that casts where it may.
template <class Function> void in_each_format(Function&& f) {
  f(setting<amp::o0<>, amp::f64>{});
  f(setting<amp::o1<amp::f16>, amp::f32>{});
  f(setting<amp::o1<amp::f16>, amp::f16>{});
  f(setting<amp::o1<amp::bf16>, amp::bf16>{});
}

inline tensor<bool> to_mask(test_context& context, const array& a) {
  tensor<bool> result(context, a.shape);
  std::vector<char> bytes(a.values.begin(), a.values.end());
  if (!bytes.empty()) amp::scale_kernels<test_device>::write(context, bytes.data(), result.data(), bytes.size());
  return result;
}

/// A gradient that a case names, of a sum of up to n terms.
template <class T> void compare_sum(test_context& context, const test_case& c, const char* name, const tensor<T>& got, double roundoff, double n, double largest = 1) {
  compare(context, c.name() + " " + name, got, c.gradient(name), roundoff, n * largest * (1 + c.grad_output().largest()), n);
}

}  // namespace golden
