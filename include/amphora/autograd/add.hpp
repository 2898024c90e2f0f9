// add of variables.
#pragma once
#include <amphora/autograd/sum_to.hpp>  // give_sum
#include <amphora/ops/add.hpp>          // add

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct add_record {
  double alpha;
  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    give_sum(pass, a, gradient), give_sum(pass, b, gradient, alpha);
  }
};

}  // namespace detail

/// a + alpha · b as of ops/add.hpp, recorded.
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto add(const tape<Context>& recording, const A& a, const B& b, double alpha = 1) {
  return record(recording, add<Policy>(recording.context(), a.value(), b.value(), alpha), detail::add_record{alpha}, a, b);
}

}}  // namespace amphora
