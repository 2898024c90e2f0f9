// A norm over axes of an array, or of the difference of two that are broadcast: its value, its gradients and theirs.
#pragma once
#include <amphora/ops/add.hpp>        // times_factor
#include <amphora/ops/fold.hpp>       // fold_all, map_or_fold
#include <amphora/ops/function.hpp>   // map_all
#include <amphora/ops/norm_rule.hpp>  // norm_rule
#include <amphora/ops/operand.hpp>    // operand
#include <amphora/tensor/shape.hpp>   // shape

#include <tuple>  // apply, tuple

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// x, or a − b, over axes of the shape that they are broadcast to. What it makes for each result is in float, or in double where an operand is f64.
template <class Context, class... X>
class norm_terms {
 public:
  using format = arithmetic_format_t<format_of_t<X>...>;
  using numbers = tensor_of_t<format, Context>;

  norm_terms(Context& context, const norm_rule& rule, const shape& wide, const axis_set& over, const view<const X>&... x)
      : context_(context), rule_(rule), wide_(wide), over_(over), kept_(kept_shape(wide, over)), x_(x...) {}

  template <class Y> void value_into(const target<Y>& y) const {
    each([&](const auto&... x) { fold_all(reads(), context_, norm_fold{rule_}, wide_, over_, y, x...); });
  }
  numbers norms() const {
    numbers result(context_, kept_);
    value_into(write(result.view()));
    return result;
  }
  /// The gradient of each result, shared among the terms that it picks.
  template <class G> numbers upstream(const view<const G>& grad, const numbers& norm) const {
    numbers result(context_, kept_);
    share(write(result.view()), grad.reshaped(kept_), norm);
    return result;
  }
  /// The gradient of operand K; `shares` is upstream's.
  template <int K, class Target> void slope_into(const Target& gx, const numbers& shares, const numbers& norm) const {
    each([&](const auto&... x) { map_or_fold(list<format, format, format_of_t<X>...>{}, context_, norm_slope{rule_, sign<K>}, wide_, gx, shares.view(), norm.view(), x...); });
  }
  /// Σ h · slope by operand K for each result, where h is of that operand's shape.
  template <int K, class H> numbers along(const view<const H>& h, const numbers& norm) const {
    numbers result(context_, kept_);
    each([&](const auto&... x) {
      fold_all(list<format_of_t<H>, format, format_of_t<X>...>{}, context_, sum_of_terms<norm_slope>{{rule_, sign<K>}}, wide_, over_, write(result.view()), h, norm.view(), x...);
    });
    return result;
  }
  /// What that is worth to the gradient of each result.
  template <class Target> void to_grad(const Target& gg, const numbers& along_h, const numbers& norm) const {
    if (rule_.picks()) return share(gradient_target(gg), along_h.view(), norm);
    map_all(list<format, format>{}, context_, norm_along{rule_}, kept_, gradient_target(gg), along_h.view(), norm.view());
  }
  /// And to operand J.
  template <int K, int J, class Target, class H>
  void curvature_into(const Target& gx, const numbers& shares, const view<const H>& h, const numbers& along_h, const numbers& norm) const {
    each([&](const auto&... x) {
      map_or_fold(list<format, format_of_t<H>, format, format, format_of_t<X>...>{}, context_, norm_curvature{rule_, sign<K>, sign<J>}, wide_, gx, shares.view(), h, norm.view(),
                  along_h.view(), x...);
    });
  }

 private:
  template <int K> static constexpr double sign = K == 0 ? 1 : -1;
  using reads = list<format_of_t<X>...>;

  template <class Function> void each(const Function& f) const { std::apply(f, x_); }
  template <class Y, class G> void share(const target<Y>& y, const view<const G>& grad, const numbers& norm) const {
    if (!rule_.picks() || rule_.of_rows) return map_all(list<format_of_t<G>>{}, context_, times_factor{1}, kept_, y, grad);
    numbers ties(context_, kept_);
    each([&](const auto&... x) { fold_all(list<format, format_of_t<X>...>{}, context_, sum_of_terms<norm_ties>{}, wide_, over_, write(ties.view()), norm.view(), x...); });
    map_all(list<format_of_t<G>, format>{}, context_, shared_among{}, kept_, y, grad, operand(ties));
  }

  Context& context_;
  norm_rule rule_;
  shape wide_;
  axis_set over_;
  shape kept_;
  std::tuple<view<const X>...> x_;
};

/// The gradient of operand K of a form (what says how operands lie), from that of its value.
template <int K, class Form, class Context, class Target, class G, class... X>
void norm_gradient_into(const Form& form, Context& context, const Target& gx, const view<const G>& grad, const view<const X>&... x) {
  const auto terms = form.terms(context, x...);
  const auto norm = terms.norms();
  terms.template slope_into<K>(form.template lifted<K>(gx, x...), terms.upstream(grad, norm), norm);
}

}}}  // namespace amphora::detail
