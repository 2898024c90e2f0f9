#include <amphora/ops/attention.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::scaled_dot_product_attention<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>())),
                             golden::tensor<amp::float16>>);

namespace {

amp::attention_settings settings_of(const golden::test_case& c) {
  amp::attention_settings s;
  s.causal = c.option("is_causal"), s.grouped = c.option("enable_gqa");
  if (!c.option("scale").is_null()) s.scale = golden::number(c.option("scale"));
  return s;
}
golden::tensor<bool> kept(test_context& context, const golden::array& mask) { return truths(context, mask.shape, mask.values); }

}  // namespace

TEST_CASE("attention and its gradients agree with the reference in every format, with bool and added masks, grouped heads and empty sizes") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_attention.json", {"scaled_dot_product_attention"})) {
    const golden::array a = c.input("query"), b = c.input("key"), d = c.input("value");
    const amp::attention_settings settings = settings_of(c);
    const bool has_mask = c.has("attn_mask"), is_bool = has_mask && c.data["inputs"]["attn_mask"]["dtype"] == "bool";
    const golden::array added = has_mask ? c.input("attn_mask") : golden::array();
    const double width = static_cast<double>(a.shape[-1]), keys = static_cast<double>(b.shape[-2]), queries = static_cast<double>(a.shape.elements()), out = static_cast<double>(d.shape[-1]);
    const double scale = std::fabs(settings.scale != 0 ? settings.scale : 1 / std::sqrt(width)), score = 1 + scale * width * a.largest() * b.largest() + added.largest();
    const double g_largest = c.grad_output().largest(), of_weight = out * g_largest * d.largest(), length = width + keys + out + queries;
    const auto try_in = [&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>() || !d.template is_exact_in<T>()) return;
      ++run;
      const auto q = a.template to<T>(context), k = b.template to<T>(context), v = d.template to<T>(context);
      using computed = amp::compute_t<P, amp::op::scaled_dot_product_attention, amp::format_of_t<T>>;
      const double weight = computed::unit_roundoff * 1.01;  // weights, and the gradients of scores, are rounded to what is multiplied
      const auto with = [&](const auto& mask) {
        const auto y = amp::scaled_dot_product_attention<P>(context, q, k, v, mask, settings);
        golden::compare(context, c.name(), y, c.output(), setting::roundoff, d.largest() * score, length, weight * d.largest());
        const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
        const auto of = amp::scaled_dot_product_attention_backward<P>(context, g, q, k, v, mask, settings);
        golden::compare(context, c.name() + " q", of.first, c.gradient("query"), setting::roundoff, 2 * scale * b.largest() * of_weight * score, length, weight * 2 * scale * b.largest() * of_weight);
        golden::compare(context, c.name() + " k", of.second, c.gradient("key"), setting::roundoff, 2 * scale * a.largest() * of_weight * score * queries, length, weight * 2 * scale * a.largest() * of_weight * queries);
        golden::compare(context, c.name() + " v", of.third, c.gradient("value"), setting::roundoff, g_largest * score * queries, length, weight * g_largest * queries);
        if constexpr (!amp::detail::are_truths_v<std::decay_t<decltype(mask)>> && !std::is_same_v<std::decay_t<decltype(mask)>, amp::no_mask>) {
          golden::tensor<T> gm(context, mask.shape());
          const amp::no_gradient none;
          amp::scaled_dot_product_attention_backward<P>(context, g, q, k, v, mask, none, none, none, amp::into(gm), settings);
          golden::compare(context, c.name() + " mask", gm, c.gradient("attn_mask"), setting::roundoff, 2 * of_weight * score * queries, length);
        }
      };
      if (!has_mask) with(amp::no_mask{});
      else if (is_bool) with(kept(context, added));
      else if (added.template is_exact_in<T>()) with(added.template to<T>(context));
    };
    try_in(golden::setting<amp::o0<>, amp::f64>{}), try_in(golden::setting<amp::o0<>, amp::f32>{}), try_in(golden::setting<amp::o1<amp::f16>, amp::f32>{});
    try_in(golden::setting<amp::o1<amp::bf16>, amp::bf16>{});
  }
  CHECK(run >= 100);
}

TEST_CASE("gradients of attention are the slopes of its value: broadcast, grouped, causal, with a mask of each kind, and with dropout") {
  test_context context;
  amp::attention_settings settings;
  auto q = check::random<double>(context, {2, 4, 5, 3}, 1), k = check::random<double>(context, {1, 2, 6, 3}, 2), v = check::random<double>(context, {2, 2, 6, 2}, 3);
  auto added = check::random<double>(context, {4, 1, 6}, 4);
  const auto g = check::random<double>(context, {2, 4, 5, 2}, 5);
  std::vector<double> seen(30, 1);
  for (int place : {0, 3, 8, 12, 13, 14, 15, 16, 17, 29}) seen[static_cast<std::size_t>(place)] = 0;  // row 2 sees nothing
  const auto bools = truths(context, {5, 6}, seen);
  const auto agree = [&](const auto& mask) {
    const auto value = [&] { return check::dot(context, g, amp::scaled_dot_product_attention<amp::o0<>>(context, q, k, v, mask, settings)); };
    const auto of = amp::scaled_dot_product_attention_backward<amp::o0<>>(context, g, q, k, v, mask, settings);
    check::slopes(context, value, q, of.first), check::slopes(context, value, k, of.second), check::slopes(context, value, v, of.third);
  };
  settings.grouped = true, settings.scale = 0.7;
  agree(bools);
  settings.causal = true, settings.dropout = {0.25, 7, 1};
  agree(added);
  golden::tensor<double> of_mask(context, added.shape());
  const amp::no_gradient none;
  amp::scaled_dot_product_attention_backward<amp::o0<>>(context, g, q, k, v, added, none, none, none, amp::into(of_mask), settings);
  check::slopes(context, [&] { return check::dot(context, g, amp::scaled_dot_product_attention<amp::o0<>>(context, q, k, v, added, settings)); }, added, of_mask);
}

TEST_CASE("scores past the range of f16 do not overflow, and attention has the bits of a call on operands that were cast by hand") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  // 64 · 64 · 64 = 262144 before the scale of 1/8, 32768 after it.
  const auto q = check::filled(context, {1, 64}, amp::float16(64.0f)), k = check::filled(context, {3, 64}, amp::float16(64.0f)), v = check::given<amp::float16>(context, {3, 1}, {amp::float16(1.0f), amp::float16(2.0f), amp::float16(6.0f)});
  CHECK(static_cast<float>(amp::wait_read(context, amp::scaled_dot_product_attention<mixed>(context, q, k, v))[0]) == 3.0f);  // 9 thirds in f16 are 2.9993
  const auto x = check::random<float>(context, {2, 3, 37, 16}, 1), y = check::random<float>(context, {2, 3, 29, 16}, 2), z = check::random<float>(context, {2, 3, 29, 24}, 3);
  const auto low_x = amp::cast<amp::f16>(context, x), low_y = amp::cast<amp::f16>(context, y), low_z = amp::cast<amp::f16>(context, z);
  CHECK(check::equal_bits(context, amp::scaled_dot_product_attention<mixed>(context, x, y, z), amp::scaled_dot_product_attention<amp::policy<>>(context, low_x, low_y, low_z)));
  const auto g = check::random<amp::float16>(context, {2, 3, 37, 24}, 4);
  const auto of = amp::scaled_dot_product_attention_backward<mixed>(context, g, x, y, z);
  auto twice = amp::scaled_dot_product_attention_backward<mixed>(context, g, x, y, z);
  amp::scaled_dot_product_attention_backward<mixed>(context, g, x, y, z, amp::no_mask{}, amp::add_to(twice.first), amp::no_gradient{}, amp::no_gradient{});
  const auto once = amp::wait_read(context, of.first), both = amp::wait_read(context, twice.first);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(both[i] == 2 * once[i]);
}

TEST_CASE("heads that wait for their turn have the bits of all at once: along each axis, grouped, with masks of each kind and dropout") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto q = check::random<amp::float16>(context, {3, 2, 6, 5, 4}, 1), k = check::random<amp::float16>(context, {3, 2, 3, 8, 4}, 2), v = check::random<amp::float16>(context, {3, 2, 3, 8, 7}, 3);
  const auto g = check::random<amp::float16>(context, {3, 2, 6, 5, 7}, 4);
  const auto added = check::random<float>(context, {2, 1, 5, 8}, 5), each = check::random<float>(context, {3, 1, 6, 1, 8}, 6);
  std::vector<double> seen(6 * 5 * 8, 1);
  for (std::size_t i = 0; i < seen.size(); i += 3) seen[i] = 0;
  const auto bools = truths(context, {6, 5, 8}, seen);
  amp::attention_settings settings;
  settings.grouped = true;
  const auto agree = [&](const auto& mask) {
    amp::attention_settings parts = settings;
    const auto y = amp::scaled_dot_product_attention<mixed>(context, q, k, v, mask, settings);
    const auto of = amp::scaled_dot_product_attention_backward<mixed>(context, g, q, k, v, mask, settings);
    // A matrix of two heads has 80 scores: one matrix at a time, two of the last axis, all three, both of the axis before, two of the first.
    for (const std::int64_t at_once : {1, 160, 240, 500, 1439}) {
      parts.scores_at_once = at_once;
      CHECK(check::equal_bits(context, amp::scaled_dot_product_attention<mixed>(context, q, k, v, mask, parts), y));
      const auto part = amp::scaled_dot_product_attention_backward<mixed>(context, g, q, k, v, mask, parts);
      CHECK(check::equal_bits(context, part.first, of.first));
      CHECK(check::equal_bits(context, part.second, of.second));
      CHECK(check::equal_bits(context, part.third, of.third));
    }
  };
  agree(amp::no_mask{}), agree(bools), agree(each);
  settings.causal = true, settings.dropout = {0.25, 7, 1};
  agree(added);
}

TEST_CASE("what is held at once is bounded by the scores of some heads") {
  test_context context;
  const auto q = check::random<float>(context, {64, 32, 4}, 1);
  amp::attention_settings settings;
  settings.scores_at_once = 0;
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, q, q, q, amp::no_mask{}, settings), doctest::Contains("scores_at_once = 0; it must be at least 1"), amp::error);
  const amp::shape batch{4, 5, 6};
  const auto parts = [&](std::int64_t at_once) { return amp::detail::attention_parts(batch, 10, at_once); };
  CHECK(parts(1200).count() == 1);
  CHECK(parts(1199).count() == 2);
  CHECK(parts(600).count() == 2);
  CHECK(parts(300).count() == 4);
  CHECK(parts(299).count() == 4 * 2);
  CHECK(parts(60).count() == 4 * 5);
  CHECK(parts(59).count() == 4 * 5 * 2);
  CHECK(parts(1).count() == 4 * 5 * 6);
  CHECK(amp::detail::attention_parts({}, 10, 1).count() == 1);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < parts(25).count(); ++i) {
    CHECK(parts(25)[i].matrices_before() == next);
    next += parts(25)[i].count;
    CHECK(parts(25)[i].count == 2);
  }
  CHECK(next == 120);
}

TEST_CASE("lines of one head that are longer than a warp reads are right: against the same sums in double") {
  test_context context;
  const std::int64_t keys = 1500, width = 8;
  const auto q = check::random<float>(context, {2, width}, 1), k = check::random<float>(context, {keys, width}, 2), v = check::random<float>(context, {keys, 1}, 3);
  const auto got = amp::wait_read(context, amp::scaled_dot_product_attention<amp::o0<>>(context, q, k, v));
  const auto a = amp::wait_read(context, q), b = amp::wait_read(context, k), c = amp::wait_read(context, v);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0, weighted = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      double score = 0;
      for (std::size_t i = 0; i < width; ++i) score += static_cast<double>(a[row * width + i]) * static_cast<double>(b[j * width + i]);
      const double e = std::exp(score / std::sqrt(8.0));
      sum += e, weighted += e * static_cast<double>(c[j]);
    }
    CHECK(std::fabs(static_cast<double>(got[row]) - weighted / sum) <= amp::f32::unit_roundoff * 64);  // |v| ≤ 1: roundings of scores, weights and 1500 terms that average out to below 1
  }
}

TEST_CASE("heads, masks and widths that do not fit are refused with their shapes, and nothing is written") {
  test_context context;
  const golden::tensor<float> q(context, {1, 4, 3, 8}), k(context, {1, 2, 5, 8}), v(context, {1, 2, 5, 8}), three(context, {1, 3, 5, 8}), narrow(context, {1, 2, 5, 4}), mask(context, {4, 5});
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, q, narrow, v), doctest::Contains("[..., keys, width]"), amp::error);
  amp::attention_settings grouped;
  grouped.grouped = true;
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, q, three, three, amp::no_mask{}, grouped), doctest::Contains("cannot group the heads of q of shape [1, 4, 3, 8] by those of k of shape [1, 3, 5, 8]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, q, k, v, mask, grouped), doctest::Contains("[4, 5] with [1, 4, 3, 5]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, q, k, v), doctest::Contains("amphora [shape]"), amp::error);
  grouped.dropout.probability = 1.5;
  auto wrong = check::filled<float>(context, {1, 4, 3, 8}, 7);
  CHECK_THROWS_WITH_AS(amp::scaled_dot_product_attention<amp::o0<>>(context, amp::into(wrong), q, k, v, amp::no_mask{}, grouped), doctest::Contains("probability = 1.5"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(96, 7));
}
