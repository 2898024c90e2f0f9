// embedding, gather, scatter_add and index_put of variables.
#pragma once
#include <amphora/autograd/cast.hpp>      // cast_record
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/ops/embedding.hpp>      // embedding
#include <amphora/ops/gather.hpp>         // gather, scatter_add
#include <amphora/ops/index_list.hpp>     // index_list
#include <amphora/ops/index_put.hpp>      // index_put_into, put_rows, take_rows, empty_rows
#include <amphora/ops/named_rows.hpp>     // named_rows, name_rows

#include <memory>   // make_shared, shared_ptr
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The gradient of an embedding, and what it is worth to the gradient that it was made of.
template <class Index>
struct embedding_gradient_record;
template <class Index>
struct embedding_record {
  view<const Index> indices;
  std::int64_t padding;
  bool by_frequency;

  template <class Pass, class G, class W> void backward(Pass& pass, const G& gradient, const G&, const W& w) const {
    pass.write(w, [&](auto target) { embedding_gradient_into(pass.context(), target, indices, gradient.value(), padding, by_frequency); },
               embedding_gradient_record<Index>{indices, padding, by_frequency}, gradient);
  }
};
/// Looked up as the gradient was summed: nothing of the padding row, and of a row that was divided by its frequency its share.
struct looked_up_again {
  std::int64_t rows, width, entries, padding;
  bool by_frequency;
  AMPHORA_READS template <class Index, class Keys, class H> AMPHORA_HD auto operator()(std::int64_t i, const Index& index, const Keys& keys, const H& h) const {
    using real = read_by_t<H>;
    const std::int64_t e = i / width, row = index(e);
    if (row < 0 || row >= rows || row == padding) return real(0);
    const real x = h(row * width + i - e * width);
    return by_frequency ? x / static_cast<real>(keys_below(keys, entries, (row + 1) * entries) - keys_below(keys, entries, row * entries)) : x;
  }
};
/// Its own gradient is a sum by index again.
template <class Index>
struct looked_up_record {
  view<const Index> indices;
  std::int64_t padding;
  bool by_frequency;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const {
    pass.write(gradient, [&](auto target) { embedding_gradient_into(pass.context(), target, indices, h.value(), padding, by_frequency); },
               embedding_gradient_record<Index>{indices, padding, by_frequency}, h);
  }
};
template <class Index>
struct embedding_gradient_record {
  view<const Index> indices;
  std::int64_t padding;
  bool by_frequency;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const {
    pass.write(gradient, [&](auto target) {
      const shape& s = h.shape();
      const std::int64_t n = by_frequency ? indices.size() : 0;
      const auto keys = sorted_keys(pass.context(), embedding_entries{s[0], s[1], padding}, n, s[0], index_of(indices));
      pick_kernels<typename Pass::context_type::device>::run(pass.context(), looked_up_again{s[0], s[1], n, padding, by_frequency}, gradient.size(), gradient_target(target), index_of(indices),
                                                             index_source{keys.data(), 8}, pool_of(h.value()));
    }, looked_up_record<Index>{indices, padding, by_frequency}, h);
  }
};

/// Numbers taken by index, and numbers added by index into zeros: each the gradient of the other.
template <class Index> struct scatter_record;
template <class Index>
struct gather_record {
  view<const Index> index;
  index_lines of;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) {
      clear_target(pass.context(), target);
      scatter_numbers<given_t<G>>(pass.context(), of, gradient_target(target), index, gradient.value());
    }, scatter_record<Index>{index, of}, gradient);
  }
};
template <class Index>
struct scatter_record {
  view<const Index> index;
  index_lines of;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& source) const { give(pass, source, h); }
  template <class Pass, class To, class H> void give(Pass& pass, const To& to, const H& h) const {
    pass.write(to, [&](auto target) { gather_beside_into(pass.context(), of, target, index, h.value()); }, gather_record<Index>{index, of}, h);
  }
};
template <class Index>
struct scatter_add_record {
  scatter_record<Index> of;
  template <class Pass, class G, class X, class S> void backward(Pass& pass, const G& gradient, const G&, const X& x, const S& source) const {
    pass.give(x, gradient), of.give(pass, source, gradient);
  }
};

/// Rows that are named: values put into zeros there, those rows taken, and all the others kept. Each has derivatives of any order.
template <class Context>
struct named_record {
  std::shared_ptr<const named_rows<Context>> named;
  enum class role { put, taken, kept } is = role::put;

  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& x) const {
    if (is == role::put) take(pass, x, h);
    else if (is == role::kept) keep(pass, x, h);
    else
      pass.write(x, [&](auto target) {
        clear_target(pass.context(), target);
        put_rows<given_t<H>>(pass.context(), *named, true, gradient_target(target), h.value());
      }, named_record{named, role::put}, h);
  }
  template <class Pass, class To, class H> void take(Pass& pass, const To& to, const H& h) const {
    pass.write(to, [&](auto target) { take_rows(pass.context(), *named, target, h.value()); }, named_record{named, role::taken}, h);
  }
  template <class Pass, class To, class H> void keep(Pass& pass, const To& to, const H& h) const {
    pass.write(to, [&](auto target) { empty_rows(pass.context(), *named, target, h.value()); }, named_record{named, role::kept}, h);
  }
};
template <class Context>
struct index_put_record {
  named_record<Context> of;
  bool accumulate;
  template <class Pass, class G, class X, class V> void backward(Pass& pass, const G& gradient, const G&, const X& x, const V& values) const {
    if (accumulate) pass.give(x, gradient);
    else of.keep(pass, x, gradient);
    of.take(pass, values, gradient);
  }
};

}  // namespace detail

/// As of ops/embedding.hpp, recorded, with derivatives of any order.
///
/// indices  a view or tensor, no variable; must outlive the graph
template <class Policy, class Context, class Index, class W, std::enable_if_t<is_variable_v<W> && detail::is_operand_v<Index>, int> = 0>
auto embedding(const tape<Context>& recording, const Index& indices, const W& weight, const embedding_settings& settings = {}) {
  using index = typename std::decay_t<decltype(detail::operand(indices))>::value_type;
  return record(recording, embedding<Policy>(recording.context(), indices, weight.value(), settings),
                detail::embedding_record<index>{detail::operand(indices), detail::padding_row("embedding", settings.padding_idx, weight.shape()[0]), settings.scale_grad_by_freq}, weight);
}

/// As of ops/gather.hpp, recorded, with derivatives of any order.
///
/// index  a view or tensor, no variable; must outlive the graph
template <class Policy, class Context, class X, class Index, std::enable_if_t<is_variable_v<X> && detail::is_operand_v<Index>, int> = 0>
auto gather(const tape<Context>& recording, const X& x, int axis, const Index& index) {
  using its = typename std::decay_t<decltype(detail::operand(index))>::value_type;
  const view<const its> where = detail::operand(index);
  const auto lines = detail::index_lines::of("gather", recording.context(), where, x.shape(), axis, where.shape());
  return record(recording, gather<Policy>(recording.context(), x.value(), axis, index), detail::gather_record<its>{where, lines}, x);
}
template <class Policy, class Context, class X, class Index, class S, std::enable_if_t<is_variable_v<X> && is_variable_v<S> && detail::is_operand_v<Index>, int> = 0>
auto scatter_add(const tape<Context>& recording, const X& x, int axis, const Index& index, const S& source) {
  using its = typename std::decay_t<decltype(detail::operand(index))>::value_type;
  const view<const its> where = detail::operand(index);
  const auto lines = detail::index_lines::of("scatter_add", recording.context(), where, x.shape(), axis, source.shape());
  return record(recording, scatter_add<Policy>(recording.context(), x.value(), axis, index, source.value()), detail::scatter_add_record<its>{{where, lines}}, x, source);
}

/// As of ops/index_put.hpp, recorded, with derivatives of any order.
///
/// indices  what it refers to is not read after the call
template <class Policy, class Context, class X, class V, detail::if_variables_t<X, V> = 0>
auto index_put(const tape<Context>& recording, const X& x, const index_list& indices, const V& values, bool accumulate = false) {
  using namespace detail;
  auto& context = recording.context();
  using result = result_t<Policy, op::index_put, Context, decltype(x.value()), decltype(values.value())>;
  if constexpr (may_call<Policy, op::index_put, decltype(x.value()), decltype(values.value())>()) {
    auto named = std::make_shared<named_rows<Context>>(name_rows("index_put", context, x.shape(), indices, values.shape()));
    result y(context, x.shape());
    index_put_into<Policy>(context, *named, into(y), x.value(), values.value(), accumulate);
    return record(recording, std::move(y), index_put_record<Context>{{std::move(named)}, accumulate}, x, values);
  } else {
    return variable<typename result::value_type, Context>();
  }
}

}}  // namespace amphora
