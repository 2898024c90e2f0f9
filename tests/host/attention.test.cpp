#include <amphora/host/attention.hpp>

#include <amphora/ops/attention.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;

namespace {

/// Sizes of an attention without axes that broadcast: `shared` heads of queries for one of keys.
struct attention_size { std::int64_t matrices, shared, queries, keys, width, out; };

/// An attention and its gradients in double, one number after the other.
struct attention_truth {
  std::vector<double> y, gq, gk, gv;

  /// kept     [shared · queries, keys]: what the mask leaves in, the same for all matrices, or empty
  /// factors  [matrices, shared · queries, keys]: what the dropout multiplies the weights by, or empty
  attention_truth(const attention_size& s, bool causal, const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v, const std::vector<double>& g, const std::vector<double>& kept,
                  const std::vector<double>& factors) {
    const std::int64_t rows = s.shared * s.queries;
    const auto sized = [](std::int64_t n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); };
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    y = sized(s.matrices * rows * s.out), gq = sized(s.matrices * rows * s.width), gk = sized(s.matrices * s.keys * s.width), gv = sized(s.matrices * s.keys * s.out);
    const double scale = 1 / std::sqrt(static_cast<double>(s.width));
    for (std::int64_t m = 0; m < s.matrices; ++m)
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t row = m * rows + r;
        std::vector<double> p = sized(s.keys), dp = p;
        double sum = 0, total = 0;
        for (std::int64_t j = 0; j < s.keys; ++j) {
          if ((causal && j > r % s.queries) || (!kept.empty() && kept[at(r * s.keys + j)] == 0)) continue;
          double score = 0;
          for (std::int64_t i = 0; i < s.width; ++i) score += q[at(row * s.width + i)] * k[at((m * s.keys + j) * s.width + i)];
          sum += p[at(j)] = std::exp(scale * score);
        }
        for (double& each : p) each = sum == 0 ? 0 : each / sum;
        for (std::int64_t j = 0; j < s.keys; ++j) {
          const double factor = factors.empty() ? 1 : factors[at(row * s.keys + j)];
          for (std::int64_t i = 0; i < s.out; ++i) {
            const double v_ji = v[at((m * s.keys + j) * s.out + i)], g_ri = g[at(row * s.out + i)];
            y[at(row * s.out + i)] += factor * p[at(j)] * v_ji, gv[at((m * s.keys + j) * s.out + i)] += factor * p[at(j)] * g_ri, dp[at(j)] += factor * g_ri * v_ji;
          }
          total += dp[at(j)] * p[at(j)];
        }
        for (std::int64_t j = 0; j < s.keys; ++j)
          for (std::int64_t i = 0; i < s.width; ++i) {
            const double slope = scale * p[at(j)] * (dp[at(j)] - total);
            gq[at(row * s.width + i)] += slope * k[at((m * s.keys + j) * s.width + i)], gk[at((m * s.keys + j) * s.width + i)] += slope * q[at(row * s.width + i)];
          }
      }
  }
};

template <class T> std::vector<double> numbers_of(const amp::tensor<T, amp::host_context>& x) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < x.size(); ++i) result.push_back(static_cast<double>(x.data()[i]));
  return result;
}
template <class T> void check_near(const amp::tensor<T, amp::host_context>& got, const std::vector<double>& want, double bound) {
  REQUIRE(static_cast<std::size_t>(got.size()) == want.size());
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got.data()[i]) - want[i]) - amp::format_of_t<T>::unit_roundoff * std::fabs(want[i]);
    worst = std::isnan(error) ? error : (std::max)(worst, error);
  }
  CHECK(worst <= bound);
}

template <class T> void check_attention(const attention_size& s, bool causal, bool has_mask, double dropped) {
  INFO("matrices ", s.matrices, ", heads ", s.shared, ", queries ", s.queries, ", keys ", s.keys, ", causal ", causal, ", mask ", has_mask, ", dropout ", dropped);
  using policy = amp::policy<>;
  amp::host_context c(3);
  const std::int64_t rows = s.shared * s.queries;
  const amp::shape of_q{s.matrices * s.shared, s.queries, s.width}, of_k{s.matrices, s.keys, s.width}, of_v{s.matrices, s.keys, s.out}, of_y{s.matrices * s.shared, s.queries, s.out};
  const auto q = check::random<T>(c, of_q, 1), k = check::random<T>(c, of_k, 2), v = check::random<T>(c, of_v, 3), g = check::random<T>(c, of_y, 4);
  amp::attention_settings settings;
  settings.grouped = true, settings.causal = causal, settings.dropout = {dropped, 5, 6};

  std::vector<double> kept, factors;
  for (std::int64_t i = 0; has_mask && i < rows * s.keys; ++i) kept.push_back(i % 7 == 3 || i / s.keys == 1 ? 0 : 1);  // row 1 sees nothing
  if (dropped != 0) factors = numbers_of(amp::dropout<policy>(c, check::filled<double>(c, {s.matrices, rows, s.keys}, 1), settings.dropout));
  const attention_truth want(s, causal, numbers_of(q), numbers_of(k), numbers_of(v), numbers_of(g), kept, factors);

  // Of numbers up to 1: a weight is rounded to T (twice where it is scaled), after sums of `width` and of `keys` terms; a gradient of a score is
  // below 2 · out weights, and that of a key a sum over rows.
  using arithmetic = std::conditional_t<std::is_same_v<T, double>, amp::f64, amp::f32>;
  const double n = static_cast<double>(s.width + s.keys + s.out + rows) + 32, more = dropped == 0 ? 1 : 2 / (1 - dropped), out = static_cast<double>(s.out), all = static_cast<double>(rows);
  const double weight = more * (1.01 * amp::format_of_t<T>::unit_roundoff * (arithmetic::unit_roundoff < amp::format_of_t<T>::unit_roundoff) + arithmetic::unit_roundoff * n);
  const auto run = [&](const auto& mask) {
    check_near(amp::scaled_dot_product_attention<policy>(c, q, k, v, mask, settings), want.y, weight);
    auto gq = check::filled(c, of_q, T(0.0f)), gk = check::filled(c, of_k, T(0.0f)), gv = check::filled(c, of_v, T(0.0f));
    const amp::no_gradient none;
    const auto of = amp::scaled_dot_product_attention_backward<policy>(c, g, q, k, v, mask, settings);
    check_near(of.first, want.gq, 2 * out * weight), check_near(of.second, want.gk, 2 * out * all * weight), check_near(of.third, want.gv, all * weight);
    amp::scaled_dot_product_attention_backward<policy>(c, g, q, k, v, mask, amp::add_to(gq), none, none, none, settings);
    amp::scaled_dot_product_attention_backward<policy>(c, g, q, k, v, mask, none, amp::add_to(gk), none, none, settings);
    amp::scaled_dot_product_attention_backward<policy>(c, g, q, k, v, mask, none, none, amp::add_to(gv), none, settings);
    CHECK(numbers_of(gq) == numbers_of(of.first));
    CHECK(numbers_of(gk) == numbers_of(of.second));
    CHECK(numbers_of(gv) == numbers_of(of.third));
  };
  if (has_mask) run(truths(c, s.matrices == 1 ? amp::shape{s.shared, s.queries, s.keys} : amp::shape{s.queries, s.keys}, kept));
  else run(amp::no_mask{});
}

}  // namespace

TEST_CASE_TEMPLATE("attention in tiles is that of single numbers: of few matrices, of many, longer than a tile, grouped, causal, masked and with dropout", T, float, amp::float16, double) {
  for (const bool causal : {false, true})
    for (const double dropped : {0.0, 0.25}) {
      check_attention<T>({2, 2, 150, 61, 20, 24}, causal, false, dropped);
      check_attention<T>({1, 2, 140, 301, 5, 3}, causal, true, dropped);
      check_attention<T>({20, 1, 9, 40, 8, 8}, causal, true, dropped);
      check_attention<T>({17, 3, 1, 1, 1, 1}, causal, false, dropped);
    }
}

TEST_CASE("attention has the same bits on any number of threads, of few heads and of many") {
  const auto of = [](std::int64_t heads, std::int64_t queries) {
    amp::attention_settings settings;
    settings.causal = true, settings.dropout = {0.25, 1, 2};
    const auto each = [heads, queries](amp::host_context& c, unsigned seed) { return check::random<float>(c, {heads, queries, 16}, seed); };
    check::same_bits_on_any_threads([&](amp::host_context& c) { return amp::scaled_dot_product_attention<amp::policy<>>(c, each(c, 1), each(c, 2), each(c, 3), amp::no_mask{}, settings); });
    const auto gradients = [&](amp::host_context& c) { return amp::scaled_dot_product_attention_backward<amp::policy<>>(c, each(c, 4), each(c, 1), each(c, 2), each(c, 3), amp::no_mask{}, settings); };
    check::same_bits_on_any_threads([&](amp::host_context& c) { return gradients(c).first; });
    check::same_bits_on_any_threads([&](amp::host_context& c) { return gradients(c).second; });
    check::same_bits_on_any_threads([&](amp::host_context& c) { return gradients(c).third; });
  };
  of(1, 700), of(37, 50);
}

TEST_CASE("NaN among what a query sees makes its row NaN, beyond it is not read into the row") {
  amp::host_context c;
  auto q = check::random<float>(c, {40, 8}, 1), k = check::random<float>(c, {40, 8}, 2), v = check::random<float>(c, {40, 8}, 3);
  k.data()[20 * 8] = std::numeric_limits<float>::quiet_NaN();
  amp::attention_settings settings;
  settings.causal = true;
  const auto y = numbers_of(amp::scaled_dot_product_attention<amp::policy<>>(c, q, k, v, amp::no_mask{}, settings));
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i >= 20 * 8));
}

TEST_CASE("no queries, no keys and no width are sizes like others") {
  amp::host_context c;
  const auto sum = [&](std::int64_t queries, std::int64_t keys, std::int64_t width, std::int64_t out) {
    double result = 0;
    for (double y : numbers_of(amp::scaled_dot_product_attention<amp::policy<>>(c, check::filled<float>(c, {2, queries, width}, 1), check::filled<float>(c, {2, keys, width}, 1), check::filled<float>(c, {2, keys, out}, 1)))) result += y;
    const auto of = amp::scaled_dot_product_attention_backward<amp::policy<>>(c, check::filled<float>(c, {2, queries, out}, 1), check::filled<float>(c, {2, queries, width}, 1), check::filled<float>(c, {2, keys, width}, 1),
                                                                          check::filled<float>(c, {2, keys, out}, 1));
    for (double g : numbers_of(of.third)) result += g;
    return result;
  };
  CHECK(sum(0, 3, 4, 2) == 0);
  CHECK(sum(3, 0, 4, 2) == 0);
  CHECK(sum(4, 4, 0, 2) == 2 * 2 * 4 * 2);  // equal weights: each row is the mean of ones, and its gradient comes back to the keys
  CHECK(sum(3, 4, 4, 0) == 0);
}
