// dropout of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/dropout.hpp>             // dropout, dropout_backward

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Dropout is linear: its gradient is the same mask again.
template <class Policy>
struct dropout_record {
  dropout_settings settings;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { dropout_backward<Policy>(pass.context(), target, gradient.value(), settings); }, *this, gradient);
  }
};

}  // namespace detail

/// dropout as of ops/dropout.hpp, recorded. The mask follows from the settings, so it is neither stored nor kept apart for the
/// recomputation of a checkpoint.
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto dropout(const tape<Context>& recording, const X& x, const dropout_settings& settings) {
  return record(recording, dropout<Policy>(recording.context(), x.value(), settings), detail::dropout_record<Policy>{settings}, x);
}

}}  // namespace amphora
