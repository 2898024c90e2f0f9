#include <amphora/autograd/scope.hpp>

#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// The losses that a scope has, of the same arrays: plain under a context's scope, variables under a tape's.
template <class Scope, class X> auto losses(const Scope& amp, const X& x, const X& y, const X& scores, const amp::tensor<float, test_context>& signs, const amp::tensor<std::int64_t, test_context>& classes,
                                            const amp::tensor<std::int64_t, test_context>& labels) {
  const auto value = [&](const auto& loss) {
    if constexpr (amp::is_variable_v<std::decay_t<decltype(loss)>>) return values(amp.context(), loss);
    else return values(amp.context(), loss.view());
  };
  std::vector<std::vector<double>> result;
  const auto add = [&](const auto&... loss) { (result.push_back(value(loss)), ...); };
  add(amp.mse_loss(x, y), amp.l1_loss(x, y), amp.smooth_l1_loss(x, y, amp::reduction::sum, 0.25), amp.huber_loss(x, y), amp.binary_cross_entropy_with_logits(x, y), amp.poisson_nll_loss(x, y),
      amp.gaussian_nll_loss(x, y, y), amp.kl_div(x, y), amp.soft_margin_loss(x, y), amp.hinge_embedding_loss(x, y), amp.margin_ranking_loss(x, y, y));
  add(amp.cross_entropy(scores, classes), amp.cross_entropy(scores, scores), amp.nll_loss(scores, classes), amp.multi_margin_loss(scores, classes), amp.multilabel_margin_loss(scores, labels),
      amp.cosine_embedding_loss(x, y, signs), amp.triplet_margin_loss(x, y, scores));
  return result;
}
struct zero_or_more {
  template <class T> static amp::tensor<T, test_context> of(test_context& context, unsigned seed) {
    auto numbers = check::random_numbers<T>(12, seed);
    for (T& number : numbers) number = static_cast<T>(std::fabs(static_cast<float>(number)));
    return check::given(context, {3, 4}, numbers);
  }
};

}  // namespace

TEST_CASE("a scope over a context and one over a tape have all losses, with the same values") {
  test_context context;
  const amp::tape tape(context);
  const auto x = zero_or_more::of<amp::float16>(context, 1), y = zero_or_more::of<amp::float16>(context, 2), scores = zero_or_more::of<amp::float16>(context, 3);
  const auto signs = check::given<float>(context, {3}, {1, -1, 1});
  const auto classes = check::given<std::int64_t>(context, {3}, {0, 3, 1});
  const auto labels = check::given<std::int64_t>(context, {3, 4}, {0, -1, 0, 0, 3, 2, -1, 0, -1, 0, 0, 0});
  const auto plain = amp::autocast<policy>(context, [&](auto amp) { return losses(amp, x, y, scores, signs, classes, labels); });
  const auto taped = amp::autocast<policy>(tape, [&](auto amp) { return losses(amp, tape.constant(x), tape.constant(y), tape.constant(scores), signs, classes, labels); });
  CHECK(plain.size() == 18);
  CHECK(plain == taped);
  for (std::size_t i = 0; i < plain.size(); ++i) CHECK(std::isfinite(plain[i].at(0)));
  CHECK(plain[0] == values(context, amp::mse_loss<policy>(context, x, y)));
  const auto p = check::filled(context, {3}, 0.25f);
  CHECK(amp::autocast<policy>(context, [&](auto amp) { return values(context, amp.binary_cross_entropy(p, p)); }) == values(context, amp::binary_cross_entropy<policy>(context, p, p)));
}
