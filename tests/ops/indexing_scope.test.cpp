#include <amphora/ops/scope.hpp>

#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace {

using bare = amp::policy<amp::output<amp::as_computed>>;  // computes in what it is given
using wide = amp::policy<amp::compute<amp::f32>>;         // as a sensitive op under o1

}  // namespace

TEST_CASE("under a policy each op that moves, indexes or resamples gives the bits of a cast by hand and a call") {
  using T = amp::float16;
  test_context context;
  const auto x = check::random<float>(context, {6, 9}, 1), w = check::random<float>(context, {6, 9}, 2);
  const auto lx = amp::cast<amp::f16>(context, x), lw = amp::cast<amp::f16>(context, w);
  const auto up = amp::cast<amp::f32>(context, lx);
  const auto index = check::given<std::int64_t>(context, {2, 9}, {0, 1, 2, 3, 4, 5, 5, 5, 5, 1, 1, 1, 1, 2, 2, 2, 2, 0});
  const auto rows = check::given<int>(context, {3}, {4, 0, 4});
  const amp::index_list at{rows};
  const amp::pad_settings mirror{{2, 1}, amp::pad_mode::reflect};
  const auto image = [](const auto& v) { return v.view().reshaped({1, 1, 6, 9}); };
  const auto grid_of = [&](const auto& v) { return v.view().reshaped({1, 9, 3, 2}); };
  const auto larger = amp::interpolate_settings::to_size({7, 12}, amp::interpolation_mode::linear);
  const auto triple = [&](const auto& v) { return v.view().reshaped({18, 3}); };
  const auto same = [&](const auto& have, const auto& want) { CHECK(check::equal_bits(context, have, want)); };

  amp::autocast<amp::o1<amp::f16>>(context, [&](auto a) {
    // transparent: what came in
    same(a.transpose(lx), amp::transpose<bare>(context, lx)), same(a.permute(x, amp::axes{1, 0}), amp::permute<bare>(context, x, {1, 0})), same(a.slice(lx, 1, 2, 8, 3), amp::slice<bare>(context, lx, 1, 2, 8, 3));
    same(a.pad(lx, mirror), amp::pad<bare>(context, lx, mirror)), same(a.gather(x, 0, index), amp::gather<bare>(context, x, 0, index)), same(a.embedding(rows, lx), amp::embedding<bare>(context, rows, lx));
    // promoting: the widest
    same(a.cat(0, lx, w), amp::cat<bare>(context, 0, up, w)), same(a.stack(1, lx, w), amp::stack<bare>(context, 1, up, w)), same(a.cat(0, lx, lw), amp::cat<bare>(context, 0, lx, lw));
    same(a.scatter_add(lx, 0, index, w), amp::scatter_add<bare>(context, up, 0, index, w)), same(a.cross(triple(lx), triple(w)), amp::cross<bare>(context, triple(up), triple(w)));
    same(a.index_put(lx, at, amp::view<const float>(w.data(), {3, 9}), true), amp::index_put<bare>(context, up, at, amp::view<const float>(w.data(), {3, 9}), true));
    same(a.grid_sample(image(lx), grid_of(w)), amp::grid_sample<bare>(context, image(up), grid_of(w)));
    // sensitive: float inside and out
    same(a.interpolate(image(lx), larger), amp::interpolate<wide>(context, image(up), larger));
    // gradients, in the operand's own format
    const auto taken = a.gather(lx, 0, index);
    same(a.gather_backward(taken, lx, 0, index), amp::gather_backward<bare>(context, taken, lx, 0, index));
    same(a.transpose_backward(a.transpose(lx), lx), lx), same(a.pad_backward(a.pad(lx, mirror), lx, mirror), amp::pad_backward<bare>(context, a.pad(lx, mirror), lx, mirror));
    same(std::get<0>(a.cat_backward(a.cat(0, lx, w), 0, lx, w)), lx), same(std::get<1>(a.stack_backward(a.stack(0, lx, w), 0, lx, w)), w);
  });
  amp::autocast<amp::o3<amp::f16>>(context, [&](auto a) {  // everything in f16
    same(a.transpose(x), amp::transpose<bare>(context, lx)), same(a.pad(x, mirror), amp::pad<bare>(context, lx, mirror)), same(a.gather(x, 0, index), amp::gather<bare>(context, lx, 0, index));
    same(a.embedding(rows, x), amp::embedding<bare>(context, rows, lx)), same(a.slice(x, 0, 1, 4), amp::slice<bare>(context, lx, 0, 1, 4));
    same(a.cat(0, x, w), amp::cat<bare>(context, 0, lx, lw)), same(a.stack(0, x, w), amp::stack<bare>(context, 0, lx, lw)), same(a.cross(triple(x), triple(w)), amp::cross<bare>(context, triple(lx), triple(lw)));
    same(a.scatter_add(x, 0, index, w), amp::scatter_add<bare>(context, lx, 0, index, lw)), same(a.index_put(x, at, amp::view<const float>(w.data(), {3, 9})), amp::index_put<bare>(context, lx, at, amp::view<const T>(lw.data(), {3, 9})));
    same(a.grid_sample(image(x), grid_of(w)), amp::grid_sample<bare>(context, image(lx), grid_of(lw)));
  });
}

TEST_CASE("no op that moves, indexes or resamples casts f64") {
  test_context context;
  const auto x = check::random<double>(context, {6, 9}, 1), w = check::random<double>(context, {6, 9}, 2);
  const auto index = check::filled<std::int64_t>(context, {6, 9}, 3);
  const auto same = [&](const auto& have, const auto& want) { CHECK(check::equal_bits(context, have, want)); };
  amp::autocast<amp::o3<amp::f16>>(context, [&](auto a) {
    same(a.transpose(x), amp::transpose<bare>(context, x)), same(a.cat(0, x, w), amp::cat<bare>(context, 0, x, w)), same(a.gather(x, 0, index), amp::gather<bare>(context, x, 0, index));
    same(a.scatter_add(x, 0, index, w), amp::scatter_add<bare>(context, x, 0, index, w)), same(a.pad(x, amp::pad_settings{1, 1}), amp::pad<bare>(context, x, {1, 1}));
    const auto settings = amp::interpolate_settings::to_size({7}, amp::interpolation_mode::linear);
    same(a.interpolate(x.view().reshaped({1, 6, 9}), settings), amp::interpolate<bare>(context, x.view().reshaped({1, 6, 9}), settings));
  });
}
