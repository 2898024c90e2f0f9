#include <amphora/host/convolution.hpp>

#include <amphora/host/reduce.hpp>
#include <amphora/ops/conv.hpp>
#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using options = amp::convolution_options;

namespace {

/// Numbers that repeat: quick to make, whatever their count.
template <class T> check::tensor<T> repeated(amp::host_context& c, const amp::shape& shape, unsigned seed) {
  const auto some = check::random_numbers<T>(1021, seed);
  check::tensor<T> result(c, shape);
  for (std::int64_t i = 0; i < result.size(); i += 1021) std::memcpy(result.data() + i, some.data(), sizeof(T) * static_cast<std::size_t>((std::min)(std::int64_t(1021), result.size() - i)));
  return result;
}

/// Whether y and the gradient of w have the same bits for 16-bit operands, which are converted, as for the same numbers in float, which are not.
void converted_or_not(const amp::shape& x, const amp::shape& w, const options& how) {
  using narrow = amp::policy<amp::output<amp::f32>>;
  amp::host_context c;
  const auto low_x = repeated<amp::bfloat16>(c, x, 1), low_w = repeated<amp::bfloat16>(c, w, 2);
  check::tensor<float> wide_x(c, x), wide_w(c, w), low_gw(c, w), wide_gw(c, w);
  for (std::int64_t i = 0; i < low_x.size(); ++i) wide_x.data()[i] = amp::convert<amp::f32>(low_x.data()[i]);
  for (std::int64_t i = 0; i < low_w.size(); ++i) wide_w.data()[i] = amp::convert<amp::f32>(low_w.data()[i]);
  const auto low = amp::conv1d<narrow>(c, low_x, low_w, amp::no_bias{}, how), wide = amp::conv1d<amp::o0<>>(c, wide_x, wide_w, amp::no_bias{}, how);
  CHECK(check::equal_bits(c, low, wide));
  const auto low_g = repeated<amp::bfloat16>(c, low.shape(), 3);
  check::tensor<float> wide_g(c, low.shape());
  for (std::int64_t i = 0; i < low_g.size(); ++i) wide_g.data()[i] = amp::convert<amp::f32>(low_g.data()[i]);
  amp::conv1d_backward<narrow>(c, low_g, low_x, low_w, amp::no_gradient{}, amp::into(low_gw), amp::no_gradient{}, how);
  amp::conv1d_backward<amp::o0<>>(c, wide_g, wide_x, wide_w, amp::no_gradient{}, amp::into(wide_gw), amp::no_gradient{}, how);
  CHECK(check::equal_bits(c, low_gw, wide_gw));
}

}  // namespace

TEST_CASE_TEMPLATE("convolutions and their gradients have the same bits on any number of threads", T, float, amp::float16, double) {
  const auto how = options{}.stride({1, 2}).padding(1);
  const auto with = [&](const auto& call) {
    check::same_bits_on_any_threads([&](amp::host_context& c) {
      const auto x = check::random<T>(c, {5, 3, 40, 41}, 1), w = check::random<T>(c, {7, 3, 3, 3}, 2), g = check::random<T>(c, {5, 7, 40, 21}, 3);
      return call(c, x, w, g);
    });
  };
  with([&](auto& c, const auto& x, const auto& w, const auto&) { return amp::conv2d<amp::policy<>>(c, x, w, amp::no_bias{}, how); });
  with([&](auto& c, const auto& x, const auto& w, const auto& g) { return amp::conv2d_backward<amp::policy<>>(c, g, x, w, how).x; });
  with([&](auto& c, const auto& x, const auto& w, const auto& g) { return amp::conv2d_backward<amp::policy<>>(c, g, x, w, how).w; });
}

TEST_CASE("16-bit operands give the bits of the same numbers in float, over more images than are converted at a time") {
  converted_or_not({3, 3, amp::detail::converted_numbers / 6}, {2, 3, 5}, options{}.stride(7));
}
TEST_CASE("16-bit operands give the bits of the same numbers in float, in an image too large to be converted as a whole") {
  converted_or_not({1, 1, amp::detail::converted_image + 3}, {2, 1, 3}, options{}.stride(4099));
}
