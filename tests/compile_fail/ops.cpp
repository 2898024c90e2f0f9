// Calls of ops that break a rule: one error each, though the value goes on to the next line.
#include <amphora/host/cross_entropy.hpp>  // the host's kernels
#include <amphora/host/matmul.hpp>      // the host's kernels
#include <amphora/host/map.hpp>         // the host's kernels
#include <amphora/host/reduce.hpp>      // the host's kernels
#include <amphora/ops/linear.hpp>       // linear
#include <amphora/ops/scope.hpp>        // autocast
#include <amphora/policy/opt_level.hpp> // o1

namespace amp = amphora;
using o1 = amp::o1<amp::f16>;

struct parentless {
  template <class Policy, class Context, class X> static auto forward(Context& context, const X& x) { return amp::relu<Policy>(context, x); }
};

int main() {
  amp::host_context context;
  amp::tensor<float, amp::host_context> x(context, {2, 3}), w(context, {4, 3}), y(context, {2, 4});
  amp::tensor<amp::float16, amp::host_context> hx(context, {2, 3}), hw(context, {4, 3}), hy(context, {2, 4});
  amp::tensor<double, amp::host_context> dx(context, {2, 3});
  amp::tensor<int, amp::host_context> ints(context, {2, 3});

  hy = amp::linear<amp::strict<o1>>(context, hx, hw);
  amp::linear<o1>(context, amp::into(hy), x, w);
  amp::autocast<o1>(context, [&](auto a) { return a.relu(a.linear(hx, hw)); });

#ifdef AMPHORA_FAIL_implicit_cast_linear
  auto z = amp::linear<amp::strict<o1>>(context, x, hw);
  amp::relu<o1>(context, z);
#endif
#ifdef AMPHORA_FAIL_implicit_cast_backward
  amp::linear_backward<amp::strict<o1>>(context, hy, x, hw, amp::no_gradient{}, amp::into(hw));
#endif
#ifdef AMPHORA_FAIL_mixed_formats_into
  amp::linear<o1>(context, amp::into(y), hx, hw);
#endif
#ifdef AMPHORA_FAIL_mixed_formats_f64
  auto z = amp::linear<o1>(context, dx, w);
  z.shape();
#endif
#ifdef AMPHORA_FAIL_unknown_op
  amp::autocast<o1>(context, [&](auto a) { return a(parentless{}, x); });
#endif
#ifdef AMPHORA_FAIL_unknown_storage_type
  auto z = amp::relu<o1>(context, ints);
  z.shape();
#endif
#ifdef AMPHORA_FAIL_unknown_storage_type_targets
  const short classes[2] = {0, 1};
  amp::cross_entropy<o1>(context, x, amp::view{classes, {2}});
#endif
#ifdef AMPHORA_FAIL_unknown_policy_scope
  amp::autocast<float>(context, [&](auto a) { return a.relu(x); });
#endif
}
