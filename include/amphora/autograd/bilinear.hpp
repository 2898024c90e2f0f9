// bilinear of variables.
#pragma once
#include <amphora/autograd/add.hpp>       // add_record
#include <amphora/autograd/cast.hpp>      // cast
#include <amphora/autograd/composed.hpp>  // composed_record
#include <amphora/autograd/product.hpp>   // product_taped
#include <amphora/ops/bilinear.hpp>       // bilinear, bilinear_backward

#include <type_traits>  // is_same_v
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy>
struct bilinear_written {
  template <class Pass, class G, class X1, class X2, class W, class... B> void operator()(Pass& pass, const G& gradient, const X1& x1, const X2& x2, const W& w, const B&... b) const {
    const no_gradient none;
    const auto run = [&](const auto& g1, const auto& g2, const auto& gw, const auto& gb) {
      bilinear_backward<Policy>(pass.context(), gradient.value(), x1.value(), x2.value(), w.value(), g1, g2, gw, gb);
    };
    pass.write(x1, [&](auto target) { run(target, none, none, none); });
    pass.write(x2, [&](auto target) { run(none, target, none, none); });
    pass.write(w, [&](auto target) { run(none, none, target, none); });
    (pass.write(b, [&](auto target) { run(none, none, none, target); }), ...);
  }
};
template <class Policy>
struct bilinear_pieces {
  template <class Context, class X1, class X2, class W, class... B> auto operator()(const tape<Context>& recording, const X1& x1, const X2& x2, const W& w, const B&... b) const {
    using formats = bilinear_formats<Policy, X1, X2, W, B...>;
    using value = output_t<Policy, op::bilinear, given_t<X1>, given_t<X2>, given_t<W>, given_t<B>...>;
    using between_format = typename formats::between;
    using reads = typename formats::reads;
    using sums = typename formats::sums;
    const bilinear_sizes sizes("bilinear", x1.shape(), x2.shape(), w.shape());
    const auto between = product_taped<between_format, reads, sums>(recording, sizes.inner, sizes.between, x2, w);
    const auto left = rounded<reads>(recording, x1);
    if constexpr (sizeof...(B) == 0) return product_taped<value, between_format, sums>(recording, sizes.outer, sizes.value, between, left);
    else return plus<value, reads>(recording, product_taped<between_format, between_format, sums>(recording, sizes.outer, sizes.value, between, left), b...);
  }

 private:
  template <class Read, class Context, class X> static auto rounded(const tape<Context>& recording, const X& x) {
    if constexpr (Read::significand_bits < given_t<X>::significand_bits || Read::exponent_bits < given_t<X>::exponent_bits) return cast<in_memory_t<Read>>(recording, x);
    else return x;
  }
  template <class Format, class Read, class Context, class S, class B> static auto plus(const tape<Context>& recording, const S& sums, const B& bias) {
    const auto x = sums.value();
    const auto y = bias.value();
    tensor_of_t<Format, Context> value(recording.context(), x.shape());
    map_kernels<typename Context::device>::run(recording.context(), add_value{1}, make_loops<2>(x.shape(), {&x.shape(), &y.shape()}), write(value.view()), read(x), read_as<Read>(y));
    return record(recording, std::move(value), add_record{1}, sums, bias);
  }
};

}  // namespace detail

/// bilinear as of ops/bilinear.hpp, recorded: it has derivatives of any order.
///
/// b  a variable, or no_bias{}
template <class Policy, class Context, class X1, class X2, class W, class B = no_bias, std::enable_if_t<is_variable_v<X1> && is_variable_v<X2> && is_variable_v<W>, int> = 0>
auto bilinear(const tape<Context>& recording, const X1& x1, const X2& x2, const W& w, const B& b = {}) {
  const detail::composed_record<detail::bilinear_written<Policy>, detail::bilinear_pieces<Policy>> op{};
  if constexpr (is_variable_v<B>) return record(recording, bilinear<Policy>(recording.context(), x1.value(), x2.value(), w.value(), b.value()), op, x1, x2, w, b);
  else return record(recording, bilinear<Policy>(recording.context(), x1.value(), x2.value(), w.value(), b), op, x1, x2, w);
}

}}  // namespace amphora
