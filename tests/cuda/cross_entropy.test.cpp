#include <amphora/cuda/cross_entropy.cuh>

#include <amphora/cuda/memory.cuh>
#include <amphora/host/cross_entropy.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;

namespace {

template <class Index> std::vector<Index> targets(std::int64_t rows, std::int64_t classes, std::int64_t ignored) {
  std::mt19937 bits(9);
  std::vector<Index> result(static_cast<std::size_t>(rows));
  for (Index& t : result) t = bits() % 8 == 0 ? static_cast<Index>(ignored) : static_cast<Index>(bits() % static_cast<unsigned>(classes));
  return result;
}

/// The loss, then the gradient, of logits [rows, classes, inner]; in float where the logits are low precision.
template <class T, class Index, class Context>
struct both {
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  std::vector<number> loss;
  std::vector<T> gradient;

  both(Context& c, std::int64_t rows, std::int64_t classes, std::int64_t inner, const std::vector<Index>& indices, const amp::cross_entropy_settings& settings, bool weighted, int skip, bool add) {
    using namespace amp;
    const shape logits_shape{rows, classes, inner}, per_row{rows, inner};
    const bool each = settings.reduction == reduction::none;
    check::array<T, Context> x(c, logits_shape, check::numbers<T>(logits_shape.elements(), 1, 4), skip), gx(c, logits_shape, check::numbers<T>(logits_shape.elements(), 2), skip);
    amphora::tensor<Index, Context> t(c, per_row);
    amphora::write(c, indices, t);
    const shape result = each ? per_row : shape{};
    check::array<number, Context> y(c, result, check::numbers<number>(result.elements(), 3)), g(c, result, check::numbers<number>(result.elements(), 4));
    std::vector<number> class_weights = check::numbers<number>(classes, 5);
    for (number& w : class_weights) w = w < 0 ? number(1) - w : number(1) + w;
    check::array<number, Context> w(c, {classes}, class_weights);
    const auto run = [&](const auto& weights) {
      cross_entropy<o0<>>(c, into(y.view()), x.view(), t, settings, weights);
      if (add) cross_entropy_backward<o0<>>(c, add_to(gx.view()), g.view(), x.view(), t, settings, weights);
      else cross_entropy_backward<o0<>>(c, into(gx.view()), g.view(), x.view(), t, settings, weights);
    };
    if (weighted) run(w.view());
    else run(no_weights{});
    loss = y.wait_read(), gradient = gx.wait_read();
  }
};

// A row's loss is right to a few units of its terms, which are below 16; a mean keeps that, a sum adds rows of it (in double). A gradient
// joins exp, division, two products and a store; the host adds the weights for smoothing in float, one unit a class.
template <class T, class Index>
void check_call(std::int64_t rows, std::int64_t classes, std::int64_t inner, amp::cross_entropy_settings settings, bool weighted, int skip) {
  CAPTURE(rows);
  CAPTURE(classes);
  CAPTURE(inner);
  CAPTURE(weighted);
  amp::host_context host;
  amp::cuda_context cuda;
  const auto indices = targets<Index>(rows * inner, classes, settings.ignore_index);
  const check::in_reverse order(skip == 1);
  for (const auto r : {amp::reduction::none, amp::reduction::mean, amp::reduction::sum}) {
    settings.reduction = r;
    const both<T, Index, amp::host_context> want(host, rows, classes, inner, indices, settings, weighted, skip, skip == 1);
    const both<T, Index, amp::cuda_context> have(cuda, rows, classes, inner, indices, settings, weighted, skip, skip == 1);
    const double terms = std::is_same_v<T, double> ? static_cast<double>(classes + rows * inner) : 0;
    CHECK(check::largest_error(have.loss, want.loss) <= 64 + terms);
    const double smoothing = settings.label_smoothing > 0 ? static_cast<double>(classes) : 0;
    CHECK(check::largest_error(have.gradient, want.gradient) <= 64 + terms + smoothing);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("cross entropy and its gradient are near the host's", T, float16, bfloat16, float, double) {
  for (const bool weighted : {false, true})
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      const amp::cross_entropy_settings settings{-100, smoothing, amp::reduction::mean, 0.25};
      check_call<T, std::int32_t>(33, 10, 1, settings, weighted, 0);
      check_call<T, std::int64_t>(7, 256, 1, settings, weighted, 0);
      check_call<T, std::int64_t>(7, 256, 1, settings, weighted, 1);
      check_call<T, std::int32_t>(3, 1500, 1, settings, weighted, 0);
      check_call<T, std::int32_t>(3, 1600, 1, settings, weighted, 0);
      check_call<T, std::int64_t>(3, 10, 200, settings, weighted, 0);
      check_call<T, std::int64_t>(2, 40, 3, settings, weighted, 1);
    }
}
TEST_CASE("and of many rows, whose losses take several chunks") {
  check_call<float, std::int32_t>(10000, 3, 1, {1, 0.1}, true, 0);
  check_call<float, std::int32_t>(4097, 1, 1, {}, false, 1);
  check_call<float, std::int64_t>(0, 5, 1, {}, false, 0);
}
TEST_CASE("rows that are all ignored have loss 0, and a mean of nothing is NaN with gradient 0") {
  amp::cuda_context c;
  const both<float, std::int32_t, amp::cuda_context> all(c, 4, 6, 1, {-100, -100, -100, -100}, {}, false, 0, false);
  CHECK(std::isnan(all.loss[0]));
  CHECK(all.gradient == std::vector<float>(24, 0.0f));
}

TEST_CASE("a target outside the classes makes its row NaN, the sum NaN, and leaves the others alone") {
  amp::cuda_context c;
  for (const std::int64_t wrong : {std::int64_t(6), std::int64_t(-1), std::int64_t(1) << 32}) {
    const std::vector<std::int64_t> indices = {1, wrong, -100, 5};
    const both<float, std::int64_t, amp::cuda_context> each(c, 4, 6, 1, indices, {-100, 0.1, amp::reduction::none}, true, 0, false);
    for (std::size_t row = 0; row < 4; ++row) {
      CHECK(std::isnan(each.loss[row]) == (row == 1));
      for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(each.gradient[row * 6 + i]) == (row == 1));
    }
    for (const auto r : {amp::reduction::mean, amp::reduction::sum}) {
      const both<float, std::int64_t, amp::cuda_context> all(c, 4, 6, 1, indices, {-100, 0.1, r}, true, 0, false);
      CHECK(std::isnan(all.loss[0]));
      CHECK(std::isnan(all.gradient[6]));
      CHECK(std::isfinite(all.gradient[0]));
    }
  }
}

TEST_CASE("cross entropy has the same bits in any order of blocks, and neither waits nor allocates") {
  amp::cuda_context c;
  const auto indices = targets<std::int32_t>(10000, 17, -100);
  const both<float, std::int32_t, amp::cuda_context> once(c, 10000, 17, 1, indices, {-100, 0.1}, true, 0, false);
  {
    const check::in_reverse order(true);
    const both<float, std::int32_t, amp::cuda_context> again(c, 10000, 17, 1, indices, {-100, 0.1}, true, 0, false);
    CHECK(check::different(again.loss, once.loss) == 0);
    CHECK(check::different(again.gradient, once.gradient) == 0);
  }
  check::array<float, amp::cuda_context> x(c, {100, 10}, check::numbers<float>(1000, 1)), y(c, {}, {0}), gx(c, {100, 10}, check::numbers<float>(1000, 1));
  amp::tensor<std::int32_t, amp::cuda_context> t(c, {100});
  amp::write(c, std::vector<std::int32_t>(100, 3), t);
  check::neither_waits_nor_allocates(c, [&](auto& context) {
    amp::cross_entropy<amp::o0<>>(context, amp::into(y.view()), x.view(), t);
    amp::cross_entropy_backward<amp::o0<>>(context, amp::into(gx.view()), y.view(), x.view(), t);
  });
}
