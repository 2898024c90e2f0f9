#include <amphora/autograd/indexing.hpp>

#include <autograd/indexing_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("embedding and gather of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (auto c : golden::cases("transparent_indexing.json", {"embedding"})) {
    amp::embedding_settings settings;
    if (c.option("scale_grad_by_freq")) c.data.erase("second");  // PyTorch's forgets to divide
    if (!c.option("padding_idx").is_null()) settings.padding_idx = c.option("padding_idx");
    settings.scale_grad_by_freq = c.option("scale_grad_by_freq");
    const auto indices = c.input("input").to_index(context);
    second += golden::taped(context, c, [&](const auto& tape, const auto& w) { return amp::embedding<policy>(tape, indices, w, settings); }, "weight");
  }
  CHECK(second == 6);
  for (const auto& c : golden::cases("transparent_indexing.json", {"gather"})) {
    const int axis = c.option("dim");
    const auto index = c.input("index").to_index(context);
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::gather<policy>(tape, x, axis, index); }, "input");
  }
  CHECK(second == 13);
}

TEST_CASE("scatter_add and index_put of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("widening.json", {"scatter_add"})) {
    const int axis = c.option("dim");
    const auto index = c.input("index").to_index(context);
    second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& source) { return amp::scatter_add<policy>(tape, x, axis, index, source); }, "input", "src");
  }
  CHECK(second == 6);
  for (const auto& c : golden::cases("widening.json", {"index_put"})) {
    const bool accumulate = c.option("accumulate");
    const golden::array first = c.input("indices.0");
    const auto compare = [&](const amp::index_list& indices) {
      second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& values) { return amp::index_put<policy>(tape, x, indices, values, accumulate); }, "input", "values");
    };
    if (c.data.at("inputs").at("indices.0").at("dtype") == "bool") compare(amp::index_list{golden::to_mask(context, first)});
    else if (c.has("indices.1")) compare(amp::index_list{first.to_index(context), c.input("indices.1").to_index(context)});
    else compare(amp::index_list{first.to_index(context)});
  }
  CHECK(second == 19);
}

TEST_CASE("gradients by index can be differentiated by the second operand's, again and again") {
  test_context context;
  const auto index = check::given<std::int64_t>(context, {5}, {2, 0, 2, 2, 1});
  const auto x = check::random<double>(context, {4, 2}, 1), values = check::random<double>(context, {5, 2}, 2);
  for (const bool accumulate : {false, true})
    check::second_slopes(context, check::random<double>(context, {4, 2}, 1), check::random<double>(context, {2}, 2), check::random<double>(context, {4, 2}, 3), check::random<double>(context, {2}, 4),
                         [&](const auto& tape, const auto& a, const auto& b) { return amp::index_put<policy>(tape, a, amp::index_list{index}, b, accumulate); },
                         [&](const auto& g, const auto& a, const auto& b) { return amp::index_put_backward<policy>(context, g, a, amp::index_list{index}, b, accumulate).second; });
  check::second_slopes(context, check::random<double>(context, {4}, 1), check::random<double>(context, {7}, 2), check::random<double>(context, {4}, 3), check::random<double>(context, {7}, 4),
                       [&](const auto& tape, const auto& a, const auto& b) { return amp::scatter_add<policy>(tape, a, 0, index, b); },
                       [&](const auto& g, const auto& a, const auto& b) { return amp::scatter_add_backward<policy>(context, g, a, 0, index, b).second; });

  for (const bool frequency : {false, true}) {  // ⟨⟨gw, v⟩'s gradient, u⟩'s gradient by v is the gradient of u
    const amp::tape<test_context> tape(context);
    const amp::embedding_settings settings{1, frequency};
    check::second_slopes(context, check::random<double>(context, {1}, 1), check::random<double>(context, {4, 2}, 1), check::random<double>(context, {5, 2}, 3), check::random<double>(context, {4, 2}, 4),
                         [&](const auto& tape, const auto&, const auto& w) { return amp::embedding<policy>(tape, index, w, settings); },
                         [&](const auto& g, const auto&, const auto& w) { return amp::embedding_backward<policy>(context, g, index, w, settings); });
    const auto w = tape.leaf(check::copied(context, x.view())), seed = tape.leaf(check::copied(context, values.view())), v = tape.leaf(check::random<double>(context, {4, 2}, 5)), u = tape.leaf(check::random<double>(context, {5, 2}, 6));
    const auto [gw] = amp::grad(context, amp::embedding<policy>(tape, index, w, settings), seed, amp::graph::create, w);
    CHECK(check::equal_bits(context, check::copied(context, gw.value()), amp::embedding_backward<policy>(context, values, index, x, settings)));
    const auto [by_seed] = amp::grad(context, gw, v, amp::graph::create, seed);
    const auto [by_v] = amp::grad(context, by_seed, u, amp::graph::free, v);
    CHECK(check::equal_bits(context, check::copied(context, by_v.value()), amp::embedding_backward<policy>(context, check::random<double>(context, {5, 2}, 6), index, x, settings)));
  }
}
