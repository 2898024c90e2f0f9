#include <amphora/ops/scope.hpp>

#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;

namespace {

using bare = amp::policy<amp::output<amp::as_computed>>;  // computes in what it is given
using wide = amp::policy<amp::compute<amp::f32>>;         // as a sensitive op under o1

}  // namespace

TEST_CASE_TEMPLATE("under a policy each elementwise op gives the bits of a cast by hand and a call", Format, amp::f16, amp::bf16) {
  using T = amp::storage_t<Format>;
  test_context context;
  const auto x = check::random<float>(context, {6, 70}, 1), w = check::random<float>(context, {70}, 2);
  const auto lx = amp::cast<Format>(context, x), lw = amp::cast<Format>(context, w);
  const auto up = amp::cast<amp::f32>(context, lx), up_w = amp::cast<amp::f32>(context, lw);
  const auto same = [&](const auto& have, const auto& want) { CHECK(check::equal_bits(context, have, want)); };

  amp::autocast<amp::o1<Format>>(context, [&](auto a) {
    // sensitive: float inside and out
    same(a.exp(lx), amp::exp<wide>(context, up)), same(a.expm1(lx), amp::expm1<wide>(context, up)), same(a.log(lx), amp::log<wide>(context, up));
    same(a.log2(lx), amp::log2<wide>(context, up)), same(a.log10(lx), amp::log10<wide>(context, up)), same(a.log1p(lx), amp::log1p<wide>(context, up));
    same(a.softplus(lx), amp::softplus<wide>(context, up)), same(a.tan(lx), amp::tan<wide>(context, up)), same(a.asin(lx), amp::asin<wide>(context, up));
    same(a.acos(lx), amp::acos<wide>(context, up)), same(a.sinh(lx), amp::sinh<wide>(context, up)), same(a.cosh(lx), amp::cosh<wide>(context, up));
    same(a.erfinv(lx), amp::erfinv<wide>(context, up)), same(a.rsqrt(lx), amp::rsqrt<wide>(context, up)), same(a.reciprocal(lx), amp::reciprocal<wide>(context, up));
    same(a.pow(lx, 2), amp::pow<wide>(context, up, 2)), same(a.pow(2, lx), amp::pow<wide>(context, 2, up)), same(a.pow(lx, lw), amp::pow<wide>(context, up, up_w));
    // transparent: what came in
    same(a.sigmoid(lx), amp::sigmoid<bare>(context, lx)), same(a.tanh(lx), amp::tanh<bare>(context, lx)), same(a.silu(x), amp::silu<bare>(context, x));
    same(a.elu(lx), amp::elu<bare>(context, lx)), same(a.leaky_relu(lx), amp::leaky_relu<bare>(context, lx)), same(a.clamp(lx, 0, 1), amp::clamp<bare>(context, lx, 0, 1));
    same(a.abs(lx), amp::abs<bare>(context, lx)), same(a.neg(lx), amp::neg<bare>(context, lx)), same(a.sqrt(x), amp::sqrt<bare>(context, x));
    // promoting: the widest
    const auto which = truths(context, {70}, std::vector<double>(70, 1));
    same(a.sub(lx, w), amp::sub<bare>(context, up, w)), same(a.mul(lx, w), amp::mul<bare>(context, up, w)), same(a.div(x, lw), amp::div<bare>(context, x, up_w));
    same(a.atan2(lx, w), amp::atan2<bare>(context, up, w)), same(a.maximum(lx, w), amp::maximum<bare>(context, up, w)), same(a.minimum(lx, w), amp::minimum<bare>(context, up, w)),
        same(a.lerp(lx, w, 0.75), amp::lerp<bare>(context, up, w, 0.75)), same(a.addcmul(lx, lw, w), amp::addcmul<bare>(context, up, up_w, w));
    same(a.addcdiv(lx, lw, w), amp::addcdiv<bare>(context, up, up_w, w)), same(a.where(which, lx, w), amp::where<bare>(context, which, up, w));
    same(a.mul(lx, lw), amp::mul<bare>(context, lx, lw));
    // prelu: the compute format
    same(a.prelu(x, w), amp::prelu<bare>(context, lx, lw));

    const auto g = check::random<float>(context, {6, 70}, 3);
    const auto lg = check::random<T>(context, {6, 70}, 3);
    check::tensor<float> of_wide(context, x.shape());
    check::tensor<T> direct(context, x.shape());
    amp::exp_backward<wide>(context, amp::into(of_wide), g, up);
    same(a.exp_backward(g, lx), amp::cast<Format>(context, of_wide));
    amp::pow_backward<wide>(context, amp::into(of_wide), g, up, 3);
    same(a.pow_backward(g, lx, 3), amp::cast<Format>(context, of_wide));
    same(a.silu_backward(lg, lx), amp::silu_backward<bare>(context, lg, lx));
    amp::mul_backward<bare>(context, g, up, w, amp::into(direct), amp::no_gradient{});
    same(a.mul_backward(g, lx, w).first, direct);
  });
}

TEST_CASE("no elementwise op casts f64") {
  test_context context;
  const auto x = check::random<double>(context, {33}, 1);
  const auto same = [&](const auto& have, const auto& want) { CHECK(check::equal_bits(context, have, want)); };
  amp::autocast<amp::o2<amp::f16>>(context, [&](auto a) {
    same(a.exp(x), amp::exp<amp::o0<>>(context, x)), same(a.silu(x), amp::silu<amp::o0<>>(context, x)), same(a.mul(x, x), amp::mul<amp::o0<>>(context, x, x));
    same(a.prelu(x, check::filled<double>(context, {1}, 0.3)), amp::prelu<amp::o0<>>(context, x, check::filled<double>(context, {1}, 0.3)));
  });
}
