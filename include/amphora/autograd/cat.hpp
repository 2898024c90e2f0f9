// cat and stack of variables, each named in the call, or all of a list.
#pragma once
#include <amphora/autograd/function.hpp>     // if_variables_t
#include <amphora/autograd/record_list.hpp>  // record_list, if_variable_list_t, variables_of
#include <amphora/ops/cat.hpp>               // joined_of, joined_list_made
#include <amphora/ops/side_by_side.hpp>      // side_by_side, share_of

#include <cstdint>  // int64_t
#include <utility>  // move
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// One operand's part of a joined array, and that part put into zeros: each the gradient of the other.
struct part_record;
struct unpart_record {
  side_by_side all;
  std::int64_t begin, extent;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const;
};
struct part_record {
  side_by_side all;
  std::int64_t begin, extent;

  template <class Pass, class To, class G> void give(Pass& pass, const To& to, const G& gradient) const {
    pass.write(to, [&](auto target) { move<given_t<G>>(pass.context(), all.part(begin, extent, true), gradient_target(target), gradient.value()); }, *this, gradient);
  }
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const {
    pass.write(gradient, [&](auto target) {
      clear_target(pass.context(), target);
      move<given_t<H>>(pass.context(), all.part(begin, extent, false), gradient_target(target), h.value());
    }, unpart_record{all, begin, extent}, h);
  }
};
template <class Pass, class H, class G> void unpart_record::backward(Pass& pass, const H& h, const H&, const G& gradient) const { part_record{all, begin, extent}.give(pass, gradient, h); }

template <class Op>
struct joined_record {
  side_by_side all;
  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G&, const X&... x) const {
    std::int64_t begin = 0;
    const auto one = [&](const auto& part) {
      const std::int64_t extent = share_of<Op>(all, part.shape());
      part_record{all, begin, extent}.give(pass, part, gradient);
      begin += extent;
    };
    (one(x), ...);
  }
};
template <class Op>
struct joined_list_record {
  side_by_side all;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const std::vector<X>& x) const {
    std::int64_t begin = 0;
    for (const X& part : x) {
      const std::int64_t extent = share_of<Op>(all, part.shape());
      part_record{all, begin, extent}.give(pass, part, gradient);
      begin += extent;
    }
  }
};
template <class Policy, class Op, class Context, class X>
auto joined_list_taped(const char* call, const tape<Context>& recording, int axis, std::vector<X> x) {
  view_list<typename X::value_type> values;
  for (const X& part : x) values.push_back(part.value());
  auto y = joined_list_made<Policy, Op>(call, recording.context(), axis, values);
  return record_list(recording, std::move(y), joined_list_record<Op>{joined_of_list<Op>(call, axis, values)}, std::move(x));
}

}  // namespace detail

/// As of ops/cat.hpp, recorded, with derivatives of any order.
template <class Policy, class Context, class First, class... X, detail::if_variables_t<First> = 0>
auto cat(const tape<Context>& recording, int axis, const First& first, const X&... x) {
  return record(recording, cat<Policy>(recording.context(), axis, first.value(), x.value()...), detail::joined_record<op::cat>{detail::joined_of<op::cat>("cat", axis, first.value(), x.value()...)}, first, x...);
}
template <class Policy, class Context, class First, class... X, detail::if_variables_t<First> = 0>
auto stack(const tape<Context>& recording, int axis, const First& first, const X&... x) {
  return record(recording, stack<Policy>(recording.context(), axis, first.value(), x.value()...), detail::joined_record<op::stack>{detail::joined_of<op::stack>("stack", axis, first.value(), x.value()...)}, first, x...);
}
/// The same of a list: a std::vector, an array or any other range of variables of one type.
template <class Policy, class Context, class List, detail::if_variable_list_t<List> = 0>
auto cat(const tape<Context>& recording, int axis, const List& list) { return detail::joined_list_taped<Policy, op::cat>("cat", recording, axis, detail::variables_of(list)); }
template <class Policy, class Context, class List, detail::if_variable_list_t<List> = 0>
auto stack(const tape<Context>& recording, int axis, const List& list) { return detail::joined_list_taped<Policy, op::stack>("stack", recording, axis, detail::variables_of(list)); }

}}  // namespace amphora
