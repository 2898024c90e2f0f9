// cast and reshape of variables: the same numbers in another format or another shape.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/cast.hpp>                // cast

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The pass casts a gradient to what its receiver takes.
struct cast_record {
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const { pass.give(x, gradient); }
};

}  // namespace detail

/// cast as of ops/cast.hpp, recorded.
template <class Format, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto cast(const tape<Context>& recording, const X& x) { return record(recording, cast<Format>(recording.context(), x.value()), detail::cast_record{}, x); }

template <class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto reshape(const tape<Context>& recording, const X& x, const shape& to);

namespace detail {
struct reshape_record {
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.give(x, reshape(pass.tape(), gradient, x.shape()));
  }
};
}  // namespace detail

/// x under another shape of as many elements, in the same memory.
///
/// Errors  shape
template <class Context, class X, std::enable_if_t<is_variable_v<X>, int>>
auto reshape(const tape<Context>& recording, const X& x, const shape& to) { return record(recording, x.template in_same_memory<>(to), detail::reshape_record{}, x); }

}}  // namespace amphora
