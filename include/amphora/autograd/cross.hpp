// cross of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/ops/cross.hpp>          // cross, cross_sum, from_end

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// a × b, summed to the shape of the value: its gradients are cross products again, so it has derivatives of any order.
template <class ReadA, class ReadB>
struct cross_record {
  int axis;

  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    give<ReadB, given_t<G>>(pass, a, b, gradient), give<given_t<G>, ReadA>(pass, b, gradient, a);
  }

 private:
  template <class First, class Second, class Pass, class To, class A, class B> void give(Pass& pass, const To& to, const A& a, const B& b) const {
    pass.write(to, [&](auto target) { cross_sum<First, Second>(pass.context(), axis, target, a.value(), b.value()); }, cross_record<First, Second>{axis}, a, b);
  }
};

}  // namespace detail

/// As of ops/cross.hpp, recorded, with derivatives of any order.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto cross(const tape<Context>& recording, const A& a, const B& b, int axis = -1) {
  using namespace detail;
  using record_type = cross_record<read_t<Policy, op::cross, given_t<A>, given_t<A>, given_t<B>>, read_t<Policy, op::cross, given_t<B>, given_t<A>, given_t<B>>>;
  return record(recording, cross<Policy>(recording.context(), a.value(), b.value(), axis), record_type{from_end(axis, broadcast("cross", a.shape(), b.shape()))}, a, b);
}

}}  // namespace amphora
