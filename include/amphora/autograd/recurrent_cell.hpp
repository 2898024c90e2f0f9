// What the cells of recurrent networks of variables share: biases that may be absent, and gates on a tape.
#pragma once
#include <amphora/autograd/add.hpp>           // add
#include <amphora/autograd/cast.hpp>          // cast
#include <amphora/autograd/composed.hpp>      // variable_in
#include <amphora/autograd/product.hpp>       // product_taped
#include <amphora/autograd/tape.hpp>          // tape
#include <amphora/autograd/variable.hpp>      // variable, is_variable_v
#include <amphora/ops/linear.hpp>             // no_bias
#include <amphora/ops/operand.hpp>            // given_t
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product
#include <amphora/policy/compute.hpp>         // in_memory_t
#include <amphora/policy/policy.hpp>          // policy
#include <amphora/tensor/shape.hpp>           // shape

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What stands for a bias that is not there, among the inputs of a record.
template <class Context, class B> auto bias_variable(const B& b) {
  if constexpr (is_variable_v<B>) return b;
  else return variable<float, Context>();
}
template <bool Has, class B> auto bias_value(const B& b) {
  if constexpr (Has) return b.value();
  else return no_bias{};
}

/// The parts of a cell on a tape: gates as floats, operands as they are multiplied.
template <class Formats, bool HasI, bool HasH>
struct taped_cell {
  using gates_format = typename Formats::gates;
  using reads = typename Formats::reads;

  /// As it is read, in the format of the gates.
  template <class Context, class X> static auto widened(const tape<Context>& recording, const X& x) {
    if constexpr (reads::significand_bits < given_t<X>::significand_bits || reads::exponent_bits < given_t<X>::exponent_bits) return variable_in<gates_format>(recording, cast<in_memory_t<reads>>(recording, x));
    else return variable_in<gates_format>(recording, x);
  }
  /// x · wᵀ + b
  template <bool Has, class Context, class X, class W, class B> static auto gates(const tape<Context>& recording, const X& x, const W& w, const B& b) {
    const shape s{x.shape()[0], w.shape()[0]};
    const auto product = product_taped<gates_format, reads, typename Formats::sums>(recording, symmetric_product::of_rows(s[0], s[1], x.shape()[1], true), s, x, w);
    if constexpr (Has) return add<policy<>>(recording, product, widened(recording, b));
    else return product;
  }
  template <class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
  static auto sum(const tape<Context>& recording, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
    return add<policy<>>(recording, gates<HasI>(recording, x, w_ih, b_ih), gates<HasH>(recording, h, w_hh, b_hh));
  }
};

}}}  // namespace amphora::detail
