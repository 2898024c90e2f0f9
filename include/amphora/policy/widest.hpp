// The widest of several formats.
#pragma once
#include <amphora/format/format.hpp>  // f32, f64, exponent_bits_v

#include <type_traits>  // conditional_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class A, class B> struct wider {
  static constexpr int exponent = exponent_bits_v<A> > exponent_bits_v<B> ? exponent_bits_v<A> : exponent_bits_v<B>;
  static constexpr int significand = significand_bits_v<A> > significand_bits_v<B> ? significand_bits_v<A> : significand_bits_v<B>;
  template <class F> static constexpr bool holds = exponent_bits_v<F> >= exponent && significand_bits_v<F> >= significand;
  using type = std::conditional_t<holds<A>, A, std::conditional_t<holds<B>, B, std::conditional_t<holds<f32>, f32, f64>>>;
};
template <class... Formats> struct widest_of;
template <class Only> struct widest_of<Only> { using type = Only; };
template <class A, class B, class... Rest> struct widest_of<A, B, Rest...> : widest_of<typename wider<A, B>::type, Rest...> {};

}  // namespace detail

/// The one of these formats that holds all the others, else f32, else f64: f16 with bf16 gives f32.
template <class... Formats> using widest_t = typename detail::widest_of<Formats...>::type;

}}  // namespace amphora
