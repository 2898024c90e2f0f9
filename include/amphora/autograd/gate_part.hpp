// Equal parts of an array on a tape, such as the gates of a recurrent cell: taken out, with derivatives of any order.
#pragma once
#include <amphora/autograd/record.hpp>  // record
#include <amphora/autograd/tape.hpp>    // tape
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/ops/add.hpp>          // times_factor
#include <amphora/ops/kernels.hpp>      // map_kernels, loops
#include <amphora/ops/operand.hpp>      // source, write, read, gradient_target
#include <amphora/tensor/shape.hpp>     // shape
#include <amphora/tensor/tensor.hpp>    // tensor
#include <amphora/tensor/view.hpp>      // view

#include <cstdint>  // int64_t
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One of `count` equal parts along the middle of [outer, count, inner].
struct gate_part {
  std::int64_t outer, count, inner;
  int which;

  loops<1> over_part() const {
    loops<1> over;
    over.rank = 2, over.extent[0] = outer, over.extent[1] = inner, over.stride[0][0] = count * inner, over.stride[0][1] = 1, over.elements = outer * inner;
    return over;
  }
  loops<1> over_whole() const {
    loops<1> over;
    over.rank = 3, over.extent[0] = outer, over.extent[1] = count, over.extent[2] = inner, over.stride[0][0] = inner, over.stride[0][2] = 1, over.elements = outer * count * inner;
    return over;
  }
};
/// The part in its place, and 0 in the others.
struct placed_gate {
  gate_part part;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t at, Real x) const { return at / part.inner % part.count == part.which ? x : Real(0); }
};
template <class Context, class Target, class T> void take_gate(Context& context, const gate_part& part, const Target& to, const view<const T>& whole) {
  map_kernels<typename Context::device>::run(context, times_factor{1}, part.over_part(), to, source<format_of_t<T>>{whole.data() + part.which * part.inner});
}
template <class Pass, class To, class G> void give_gate(Pass& pass, const To& to, const gate_part& part, const G& whole);
/// The gradient of a whole by that of its part; and of a part that was put in its place. They are each other's, so that there are derivatives of any order.
struct gate_record {
  gate_part part;
  template <class Pass, class H, class W> void backward(Pass& pass, const H& gradient, const H&, const W& whole) const;
};
struct placed_gate_record {
  gate_part part;
  template <class Pass, class H, class P> void backward(Pass& pass, const H& gradient, const H&, const P& own) const { give_gate(pass, own, part, gradient); }
};
template <class Pass, class To, class G> void give_gate(Pass& pass, const To& to, const gate_part& part, const G& whole) {
  pass.write(to, [&](auto target) { take_gate(pass.context(), part, gradient_target(target), whole.value()); }, gate_record{part}, whole);
}
template <class Pass, class H, class W> void gate_record::backward(Pass& pass, const H& gradient, const H&, const W& whole) const {
  pass.write(whole, [&](auto target) {
    map_kernels<typename Pass::context_type::device>::run(pass.context(), placed_gate{part}, part.over_whole(), gradient_target(target), read(gradient.value()));
  }, placed_gate_record{part}, gradient);
}
template <class Context, class X> auto gate_taped(const tape<Context>& recording, const X& whole, const gate_part& part, const shape& own) {
  tensor<typename X::value_type, Context> value(recording.context(), own);
  take_gate(recording.context(), part, write(value.view()), whole.value());
  return record(recording, std::move(value), gate_record{part}, whole);
}

}}}  // namespace amphora::detail
