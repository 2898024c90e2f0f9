// dist and cdist of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/autograd/norm.hpp>      // norm_record
#include <amphora/ops/distance.hpp>       // dist, cdist

namespace amphora { inline namespace AMPHORA_ABI {

/// As of ops/distance.hpp, recorded. They have second derivatives; a third one is `no-derivative`. Those of dist are NaN where those of norm are, those of
/// cdist are 0 there.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto dist(const tape<Context>& recording, const A& a, const B& b, double p = 2) {
  return record(recording, dist<Policy>(recording.context(), a.value(), b.value(), p), detail::norm_record<detail::dist_form>{{detail::norm_rule::of("dist", p)}}, a, b);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto cdist(const tape<Context>& recording, const A& a, const B& b, double p = 2) {
  return record(recording, cdist<Policy>(recording.context(), a.value(), b.value(), p), detail::norm_record<detail::cdist_form>{{detail::norm_rule::of("cdist", p, true)}}, a, b);
}

}}  // namespace amphora
