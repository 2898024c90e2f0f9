// An op of your own joins the tree by naming a parent; policies then speak of it too.
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <cstdio>

namespace amp = amphora;

//! [op]
struct swish {  // x · sigmoid(x)
  using parent = amp::op::gelu;  // what a policy says of gelu, or of gelu's parents, holds here

  template <class Policy, class Context, class X>
  static auto forward(Context& context, const X& x) {
    using output = amp::output_t<Policy, swish, typename X::format>;
    amp::tensor<amp::storage_t<output>, Context> y(context, x.shape());
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<float>(x.data()[i]);
      y.data()[i] = static_cast<amp::storage_t<output>>(value / (1 + std::exp(-value)));
    }
    return y;
  }
};
//! [op]

struct careful : amp::amend<amp::o2<amp::f16>, amp::in<amp::op::gelu, amp::compute<amp::f32>>> {};

int main() {
  amp::host_context context;
  const float numbers[] = {-2, 0, 1, 3.1415927f};
  const amp::view x{numbers, {4}};
  amp::autocast<amp::o2<amp::f16>>(context, [&](auto amp) {
    const auto low = amp(swish{}, x);
    const auto high = amp.with(careful{})(swish{}, x);
    for (int i = 0; i < 4; ++i)
      std::printf("swish(%g) = %.7f in %s, %.7f in %s\n", numbers[i], static_cast<float>(low.data()[i]), decltype(low)::format::name,
                  high.data()[i], decltype(high)::format::name);
  });
}
