// Ops whose order of sums is fixed give the host's bits on CUDA, whatever comes in: each number of 16 bits, and a float's subnormals,
// infinities and NaNs, which are NaNs after it.
#include <device_ops.hpp>

#include <amphora/host/dropout.hpp>
#include <amphora/host/map.hpp>
#include <amphora/host/map_reduce.hpp>
#include <amphora/host/memory.hpp>
#include <amphora/host/reduce.hpp>
#include <amphora/host/scale.hpp>
#include <amphora/ops/activation.hpp>
#include <amphora/ops/add.hpp>
#include <amphora/ops/addcmul.hpp>
#include <amphora/ops/arithmetic.hpp>
#include <amphora/ops/cast.hpp>
#include <amphora/ops/clamp.hpp>
#include <amphora/ops/dropout.hpp>
#include <amphora/ops/elementwise.hpp>
#include <amphora/ops/l1_loss.hpp>
#include <amphora/ops/margin_loss.hpp>
#include <amphora/ops/mse_loss.hpp>
#include <amphora/ops/relu.hpp>
#include <amphora/ops/root.hpp>
#include <amphora/ops/sum.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::bfloat16, amp::float16;

namespace user {  // arithmetic from outside
struct quotient {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real a, Real b) const { return a / b; }
};
struct difference {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real a, Real b) const { return a - b; }
};
struct product {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real a, Real b) const { return a * b; }
};
}  // namespace user

namespace {

/// Numbers of any bits; of a 16-bit format each of them, in another order for another seed.
template <class T> std::vector<T> patterns(unsigned seed) {
  using bits = amp::detail::bits_t<amp::format_of_t<T>>;
  std::mt19937_64 random(seed);
  std::vector<bits> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<bits>(sizeof(bits) == 2 ? i : random());
  std::shuffle(all.begin(), all.end(), random);
  std::vector<T> result(all.size());
  std::memcpy(static_cast<void*>(result.data()), all.data(), all.size() * sizeof(bits));
  return result;
}
template <class T, class Context> amp::tensor<T, Context> given(Context& context, const amp::shape& shape, const std::vector<T>& values) {
  amp::tensor<T, Context> result(context, shape);
  amp::write(context, values, result);
  return result;
}
template <class T, class Context> amp::tensor<T, Context> any_bits(Context& context, unsigned seed) { return given(context, {256, 256}, patterns<T>(seed)); }
template <class T, class Context> amp::tensor<T, Context> ordinary(Context& context, const amp::shape& shape, unsigned seed) {
  return given(context, shape, check::numbers<T>(shape.elements(), seed));
}
/// f is given a context and hands back a tensor of its own; blocks and threads in either order give the same.
template <class Function> void same_on_both(const Function& f) {
  amp::host_context host;
  amp::cuda_context cuda;
  const auto on_host = f(host);
  for (const bool reverse : {false, true}) {
    const check::in_reverse order(reverse);
    const auto on_cuda = f(cuda);
    REQUIRE(on_host.shape() == on_cuda.shape());
    CHECK(check::different(amp::wait_read(cuda, on_cuda), amp::wait_read(host, on_host)) == 0);
  }
}
template <class T, class Operation> void check_user(Operation operation) {
  same_on_both([operation](auto& c) { return amp::detail::unary_gradient<amp::policy<>, amp::op::relu>("test", c, operation, any_bits<T>(c, 1), any_bits<T>(c, 2)); });
}

}  // namespace

TEST_CASE_TEMPLATE("elementwise ops that need no function of the math library give the host's bits for numbers of any bits", T, float16, bfloat16, float) {
  using P = amp::policy<>;
  same_on_both([](auto& c) { return amp::sub<P>(c, any_bits<T>(c, 1), any_bits<T>(c, 2), 0.3); });
  same_on_both([](auto& c) { return amp::addcmul<P>(c, any_bits<T>(c, 1), any_bits<T>(c, 2), any_bits<T>(c, 3), 0.3); });
  same_on_both([](auto& c) { return amp::div_backward<P>(c, any_bits<T>(c, 1), any_bits<T>(c, 2), any_bits<T>(c, 3)).second; });
  same_on_both([](auto& c) { return amp::mul_backward<P>(c, ordinary<T>(c, {70, 33}, 1), ordinary<T>(c, {70, 33}, 2), ordinary<T>(c, {33}, 3)).second; });  // a sum
  same_on_both([](auto& c) { return amp::sqrt<P>(c, any_bits<T>(c, 1)); });
  same_on_both([](auto& c) { return amp::clamp<P>(c, any_bits<T>(c, 1), any_bits<T>(c, 2), any_bits<T>(c, 3)); });
  same_on_both([](auto& c) { return amp::leaky_relu_backward<P>(c, any_bits<T>(c, 1), any_bits<T>(c, 2)); });
}

TEST_CASE_TEMPLATE("+ - * / give the host's bits for numbers of any bits", T, float16, bfloat16, float, double) {
  same_on_both([](auto& c) { return amp::add<amp::policy<>>(c, any_bits<T>(c, 1), any_bits<T>(c, 2)); });
  same_on_both([](auto& c) { return amp::add<amp::policy<>>(c, any_bits<T>(c, 1), any_bits<T>(c, 2), 0.3); });  // a product and a sum, two roundings
  check_user<T>(user::difference{});
  check_user<T>(user::product{});
  check_user<T>(user::quotient{});
  same_on_both([](auto& c) { return amp::relu<amp::policy<>>(c, any_bits<T>(c, 3)); });
  same_on_both([](auto& c) { return amp::relu_backward<amp::policy<>>(c, any_bits<T>(c, 1), any_bits<T>(c, 3)); });
}

TEST_CASE_TEMPLATE("casts of numbers of any bits give the host's bits", T, float16, bfloat16, float, double) {
  same_on_both([](auto& c) { return amp::cast<amp::f16>(c, any_bits<T>(c, 4)); });
  same_on_both([](auto& c) { return amp::cast<amp::bf16>(c, any_bits<T>(c, 4)); });
  same_on_both([](auto& c) { return amp::cast<amp::f32>(c, any_bits<T>(c, 4)); });
  same_on_both([](auto& c) { return amp::cast<amp::f64>(c, any_bits<T>(c, 4)); });
  same_on_both([](auto& c) { return amp::cast<amp::e4m3>(c, any_bits<T>(c, 4)); });
  same_on_both([](auto& c) { return amp::cast<amp::e5m2>(c, any_bits<T>(c, 4)); });
}

TEST_CASE_TEMPLATE("dropout of numbers of any bits gives the host's bits", T, float16, bfloat16, float) {
  const amp::dropout_settings settings{0.3, 5, 6};
  same_on_both([settings](auto& c) { return amp::dropout<amp::policy<>>(c, any_bits<T>(c, 5), settings); });
  same_on_both([settings](auto& c) { return amp::dropout_backward<amp::policy<>>(c, any_bits<T>(c, 6), any_bits<T>(c, 5), settings); });
}

TEST_CASE_TEMPLATE("sums and means have the host's bits under every policy", Policy, amp::o0<>, amp::o1<amp::f16>, amp::o3<amp::bf16>) {
  for (const amp::axes& over : {amp::axes{}, amp::axes{0}, amp::axes{1}, amp::axes{2}, amp::axes{0, 2}, amp::axes{1}.keep()}) {
    same_on_both([over](auto& c) { return amp::sum<Policy>(c, ordinary<float>(c, {9, 130, 70}, 1), over); });
    same_on_both([over](auto& c) { return amp::mean<Policy>(c, ordinary<float16>(c, {3, 70, 130}, 2), over); });
    same_on_both([over](auto& c) {
      const auto x = ordinary<float>(c, {9, 130, 70}, 1);
      return amp::mean_backward<Policy>(c, amp::mean<Policy>(c, x, over), x, over);
    });
  }
  same_on_both([](auto& c) { return amp::sum<Policy>(c, any_bits<float16>(c, 1), amp::axes{1}); });  // infinities and NaNs
}

TEST_CASE_TEMPLATE("gradients of broadcast operands have the host's bits", T, float16, float) {
  for (const amp::shape& narrow : {amp::shape{70}, amp::shape{130, 1}, amp::shape{9, 1, 70}, amp::shape{1}})
    same_on_both([narrow](auto& c) {
      const auto a = ordinary<T>(c, {9, 130, 70}, 1), b = ordinary<T>(c, narrow, 2);
      return std::move(amp::add_backward<amp::policy<>>(c, a, a, b, 0.3).second);
    });
}

TEST_CASE("losses without logarithms and exponentials have the host's bits") {
  using P = amp::o1<amp::f16>;
  for (const auto r : {amp::reduction::mean, amp::reduction::none}) {
    same_on_both([r](auto& c) { return amp::huber_loss<P>(c, ordinary<float16>(c, {130, 70}, 1), ordinary<float>(c, {70}, 2), r, 0.3); });
    same_on_both([r](auto& c) { return amp::smooth_l1_loss<P>(c, ordinary<float16>(c, {130, 70}, 1), ordinary<float>(c, {130, 1}, 2), r, 0.3); });
    same_on_both([r](auto& c) { return amp::margin_ranking_loss<P>(c, ordinary<float>(c, {9100}, 1), ordinary<float>(c, {9100}, 2), ordinary<float>(c, {9100}, 3), r, 0.3); });
    same_on_both([r](auto& c) { return amp::hinge_embedding_loss<P>(c, ordinary<float>(c, {9100}, 1), ordinary<float>(c, {1}, 3), r, 0.3); });
  }
  same_on_both([](auto& c) {
    const auto x = ordinary<float16>(c, {130, 70}, 1);
    const auto t = ordinary<float>(c, {70}, 2);
    return amp::huber_loss_backward<P>(c, amp::huber_loss<P>(c, x, t), x, t, amp::reduction::mean, 0.3).second;
  });
}

TEST_CASE_TEMPLATE("a squared error and its gradients have the host's bits", T, float16, float) {
  for (const auto r : {amp::reduction::mean, amp::reduction::sum, amp::reduction::none}) {
    same_on_both([r](auto& c) { return amp::mse_loss<amp::o1<amp::f16>>(c, ordinary<T>(c, {130, 70}, 1), ordinary<T>(c, {70}, 2), r); });
    same_on_both([r](auto& c) {
      const auto x = ordinary<T>(c, {130, 70}, 1), t = ordinary<T>(c, {70}, 2);
      const auto loss = amp::mse_loss<amp::o1<amp::f16>>(c, x, t, r);
      return std::move(amp::mse_loss_backward<amp::o1<amp::f16>>(c, loss, x, t, r).second);
    });
  }
}
