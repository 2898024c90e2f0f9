// softmax, log_softmax, softmin and logsumexp of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/fold.hpp>                // fold_all
#include <amphora/ops/logsumexp.hpp>           // logsumexp, log_sums, share_sums
#include <amphora/ops/softmax.hpp>             // softmax, softmax_gradient_into

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// With shares p of a line, G = Σ g p and H = Σ h p: what the gradient of a softmax's gradient is a softmax's gradient of.
struct softmax_bend {
  double sign;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real g, Real h, Real against_g, Real against_h) const { return static_cast<Real>(sign) * (g - against_g) * (h - against_h); }
};
struct log_softmax_bend {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real h, Real sum) const { return -sum * h; }
};
struct minus_line {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real h, Real against) const { return h - against; }
};
struct share_bend {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real g, Real h, Real x, Real log_sum, Real against) const { return times_share{1}(0, g, x, log_sum) * (h - against); }
};

template <class Policy, class Op>
struct softmax_gradient_record {
  softmax_form form;
  int axis;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    const shape& s = x.shape();
    const axis_set over = axis_set::of(axes{axis}, s.rank());
    const shape line = kept_shape(s, over);
    using format = arithmetic_format_t<given_t<X>>;
    const bool logarithm = form == softmax_form::logarithm;
    const double sign = form == softmax_form::minimum ? -1 : 1;
    const auto against = [&](const auto& what) {
      tensor_of_t<format, typename Pass::context_type> result(context, line);
      share_sums(context, detail::write(result.view()), what.value(), x.value(), operand(log_sums(context, x.value(), over, sign)), over, sign);
      return result;
    };
    const auto to_grad = [&](auto target) {
      if (!logarithm) return softmax_gradient_into<Policy, Op>("backward", context, form, target, h.value(), x.value(), axis);
      map_all(list<given_t<H>, format>{}, context, minus_line{}, s, gradient_target(target), h.value(), operand(against(h)));
    };
    if (logarithm) pass.write(grad, to_grad);
    else pass.write(grad, to_grad, *this, h, x);
    pass.write(x, [&](auto target) {
      tensor_of_t<format, typename Pass::context_type> bend(context, s);
      if (logarithm) {
        tensor_of_t<format, typename Pass::context_type> sum(context, line);
        sum_over<format>(context, detail::write(sum.view()), read(grad.value()), reduction_of(s, over), 1);
        map_all(list<given_t<H>, format>{}, context, log_softmax_bend{}, s, detail::write(bend.view()), h.value(), operand(sum));
        softmax_gradient_into<Policy, Op>("backward", context, softmax_form::plain, target, bend, x.value(), axis);
      } else {
        map_all(list<given_t<G>, given_t<H>, format, format>{}, context, softmax_bend{sign}, s, detail::write(bend.view()), grad.value(), h.value(), operand(against(grad)),
                operand(against(h)));
        softmax_gradient_into<Policy, Op>("backward", context, form, target, bend, x.value(), axis);
      }
    });
  }
};
template <class Policy, class Op>
struct softmax_record {
  softmax_form form;
  int axis;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { softmax_gradient_into<Policy, Op>("backward", pass.context(), form, target, gradient.value(), x.value(), axis); },
               softmax_gradient_record<Policy, Op>{form, axis}, gradient, x);
  }
};

template <class Policy>
struct logsumexp_gradient_record {
  axes over;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    const axis_set set = axis_set::of(over, x.shape().rank());
    const auto log_sum = log_sums(context, x.value(), set);
    pass.write(grad, [&](auto target) { share_sums(context, gradient_target(target), h.value(), x.value(), log_sum.view(), set); });
    pass.write(x, [&](auto target) {
      using format = arithmetic_format_t<given_t<X>>;
      tensor_of_t<format, typename Pass::context_type> against(context, log_sum.shape());
      share_sums(context, detail::write(against.view()), h.value(), x.value(), log_sum.view(), set);
      map_all(list<given_t<G>, given_t<H>, given_t<X>, format, format>{}, context, share_bend{}, x.shape(), gradient_target(target), grad.value().reshaped(log_sum.shape()), h.value(),
              x.value(), log_sum.view(), operand(against));
    });
  }
};
template <class Policy>
struct logsumexp_record {
  axes over;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { logsumexp_gradient_into<Policy>(pass.context(), target, gradient.value(), x.value(), over); }, logsumexp_gradient_record<Policy>{over}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/softmax.hpp, recorded. They have second derivatives; a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto softmax(const tape<Context>& recording, const X& x, int axis = -1) {
  return record(recording, softmax<Policy>(recording.context(), x.value(), axis), detail::softmax_record<Policy, op::softmax>{detail::softmax_form::plain, axis}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto log_softmax(const tape<Context>& recording, const X& x, int axis = -1) {
  return record(recording, log_softmax<Policy>(recording.context(), x.value(), axis), detail::softmax_record<Policy, op::log_softmax>{detail::softmax_form::logarithm, axis}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto softmin(const tape<Context>& recording, const X& x, int axis = -1) {
  return record(recording, softmin<Policy>(recording.context(), x.value(), axis), detail::softmax_record<Policy, op::softmin>{detail::softmax_form::minimum, axis}, x);
}
/// As of ops/logsumexp.hpp, recorded, under the same rules.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto logsumexp(const tape<Context>& recording, const X& x, const axes& over = {}) {
  return record(recording, logsumexp<Policy>(recording.context(), x.value(), over), detail::logsumexp_record<Policy>{over}, x);
}

}}  // namespace amphora
