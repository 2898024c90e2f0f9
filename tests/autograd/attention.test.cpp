#include <amphora/autograd/attention.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("attention of variables has the reference's value, gradients and second derivatives, of a mask too") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_attention.json", {"scaled_dot_product_attention"})) {
    amp::attention_settings s;
    s.causal = c.option("is_causal"), s.grouped = c.option("enable_gqa");
    if (!c.option("scale").is_null()) s.scale = golden::number(c.option("scale"));
    const bool has_mask = c.has("attn_mask"), is_bool = has_mask && c.data["inputs"]["attn_mask"]["dtype"] == "bool";
    if (!has_mask) {
      second += golden::taped(context, c, [&](const auto& tape, const auto& q, const auto& k, const auto& v) { return amp::scaled_dot_product_attention<policy>(tape, q, k, v, amp::no_mask{}, s); }, "query", "key", "value");
    } else if (is_bool) {
      const golden::array mask = c.input("attn_mask");
      const auto kept = truths(context, mask.shape, mask.values);
      second += golden::taped(context, c, [&](const auto& tape, const auto& q, const auto& k, const auto& v) { return amp::scaled_dot_product_attention<policy>(tape, q, k, v, kept, s); }, "query", "key", "value");
    } else {
      second += golden::taped(context, c, [&](const auto& tape, const auto& q, const auto& k, const auto& v, const auto& mask) { return amp::scaled_dot_product_attention<policy>(tape, q, k, v, mask, s); },
                              "query", "key", "value", "attn_mask");
    }
  }
  CHECK(second == 28);
}

TEST_CASE("the gradients of attention of variables have the bits of its explicit backward, also where one variable is q, k and v") {
  test_context context;
  const amp::tape tape(context);
  amp::attention_settings s;
  s.causal = true, s.dropout = {0.25, 3, 4};
  const amp::shape shape{2, 3, 5, 8};
  const auto q = tape.leaf(check::random<float>(context, shape, 1)), k = tape.leaf(check::random<float>(context, shape, 2));
  const auto v = tape.leaf(check::random<amp::float16>(context, shape, 3));
  const auto g = check::random<amp::float16>(context, shape, 4);
  amp::backward(context, amp::scaled_dot_product_attention<policy>(tape, q, k, v, amp::no_mask{}, s), g.view());
  const auto direct = amp::scaled_dot_product_attention_backward<policy>(context, g, q.value(), k.value(), v.value(), amp::no_mask{}, s);
  CHECK(values(context, q.gradient()) == values(context, direct.first));
  CHECK(values(context, k.gradient()) == values(context, direct.second));
  CHECK(values(context, v.gradient()) == values(context, direct.third));

  const auto memory = check::random<double>(context, shape, 5), seed = check::random<double>(context, shape, 6);
  auto sink = check::filled<double>(context, shape, 9);
  const auto x = tape.leaf(memory.view(), sink.view());
  amp::backward(context, amp::scaled_dot_product_attention<policy>(tape, x, x, x), seed.view());
  const auto parts = amp::scaled_dot_product_attention_backward<policy>(context, seed, memory, memory, memory);
  const auto a = values(context, parts.first), b = values(context, parts.second), c = values(context, parts.third), sum = values(context, sink);
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::fabs(sum[i] - (a[i] + b[i] + c[i])) <= 1e-14);
}
