#include <amphora/ops/patches.hpp>

#include <amphora/ops/convolution_options.hpp>

#include <doctest/doctest.h>

#include <set>
#include <tuple>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

using term = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // of y, of x, of the window

/// The products that a part is made of, with where they come from; each must be new.
void add_terms(const convolution_part& part, bool to_y, std::set<term>& terms) {
  const patches& p = part.from;
  for (std::int64_t t0 = 0; t0 < p.places[0]; ++t0)
    for (std::int64_t t1 = 0; t1 < p.places[1]; ++t1)
      for (std::int64_t t2 = 0; t2 < p.places[2]; ++t2)
        for (std::int64_t m = 0; m < p.tap_count(); ++m) {
          const std::int64_t i0 = t0 * p.step[0] + p.offset(0, m / p.taps[2] / p.taps[1]), i1 = t1 * p.step[1] + p.offset(1, m / p.taps[2] % p.taps[1]), i2 = t2 * p.step[2] + p.offset(2, m % p.taps[2]);
          if (i0 < 0 || i0 >= p.image[0] || i1 < 0 || i1 >= p.image[1] || i2 < 0 || i2 >= p.image[2]) continue;
          const std::int64_t from = (i0 * p.image[1] + i1) * p.image[2] + i2, to = part.to(t0, t1, t2);
          REQUIRE((to >= 0 && to < part.to_size() && part.weight(m) >= 0 && part.weight(m) < part.window[0] * part.window[1] * part.window[2]));
          CHECK(terms.insert(to_y ? term{to, from, part.weight(m)} : term{from, to, part.weight(m)}).second);
        }
}
/// By the definition.
std::set<term> terms_of(const convolution& c) {
  std::set<term> terms;
  for (std::int64_t o = 0; o < c.out_size(); ++o)
    for (std::int64_t r = 0; r < c.window_size(); ++r) {
      std::int64_t at[3], rest_o = o, rest_r = r;
      bool inside = true;
      for (int i = 2; i >= 0; --i) {
        at[i] = rest_o % c.out[i] * c.stride[i] - c.before[i] + rest_r % c.window[i] * c.dilation[i];
        inside = inside && at[i] >= 0 && at[i] < c.in[i];
        rest_o /= c.out[i], rest_r /= c.window[i];
      }
      if (inside) terms.insert({o, (at[0] * c.in[1] + at[1]) * c.in[2] + at[2], r});
    }
  return terms;
}

}  // namespace

TEST_CASE("the parts of x and the part of y are made of the same products as the convolution, joined or not") {
  using options = amp::convolution_options;
  int joined = 0;
  const auto holds = [&](const amp::shape& x, const amp::shape& w, const options& how) {
    const convolution c = convolution_sizes::of("a test", 3, x, w, how).layout;
    const std::set<term> want = terms_of(c);
    CHECK(!want.empty());
    for (bool join : {false, true}) {
      std::set<term> of_y, of_x, results;
      const convolution_part y = join ? part_of_y(c).joined() : part_of_y(c);
      add_terms(y, true, of_y);
      CHECK(of_y == want);
      CHECK((y.is_dense() && y.from.place_count() == c.out_size()));
      joined += join && y.from.places[2] != c.out[2];
      std::int64_t places = 0, taps = 0;
      const parts_of_x parts{c};
      for (std::int64_t i = 0; i < parts.count(); ++i) {
        const convolution_part x_part = join ? parts[i].joined() : parts[i];
        add_terms(x_part, false, of_x);
        places += x_part.from.place_count(), taps += x_part.from.tap_count();
      }
      CHECK(of_x == want);
      CHECK(places == c.in_size());
      CHECK(taps <= c.window_size());
    }
  };
  holds({1, 1, 3, 4, 5}, {1, 1, 2, 2, 2}, {});
  holds({1, 1, 1, 4, 5}, {1, 1, 1, 1, 1}, {});
  holds({1, 1, 3, 4, 5}, {1, 1, 2, 1, 1}, options{}.padding({1, 0, 0}));
  holds({1, 1, 3, 4, 5}, {1, 1, 2, 3, 1}, options{}.padding({1, 2, 0}).stride({2, 1, 1}));
  for (std::int64_t stride = 1; stride <= 6; ++stride)
    for (std::int64_t dilation = 1; dilation <= 6; ++dilation)
      for (std::int64_t window = 1; window <= 4; ++window)
        for (std::int64_t padding : std::vector<std::int64_t>{0, 1, 5})
          holds({1, 1, 1, 7, 19}, {1, 1, 1, 2, window}, options{}.stride({1, 7 - stride, stride}).dilation({1, 7 - dilation, dilation}).padding({0, 3, padding}));
  CHECK(joined >= 3);
}
