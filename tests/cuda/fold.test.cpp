#include <amphora/cuda/fold.cuh>

#include <amphora/cuda/map.cuh>
#include <amphora/host/fold.hpp>
#include <amphora/host/map.hpp>
#include <amphora/ops/norm.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16;

namespace {

template <class T, class Context>
std::vector<float> norms(Context& c, const amp::shape& s, const amp::axes& over, double p, int skip, bool add) {
  const amp::detail::norm_form form{amp::detail::norm_rule::of("norm", p), over};
  const amp::shape results = form.value_shape(s);
  check::array<T, Context> x(c, s, check::numbers<T>(s.elements(), 1), skip);
  check::array<float, Context> y(c, results, check::numbers<float>(results.elements(), 2), skip);
  form.terms(c, amp::detail::operand(x.view())).value_into(amp::detail::target<amp::f32>{y.view().data(), add});
  return y.wait_read();
}
template <class T> void check_norms(const amp::shape& s, const amp::axes& over) {
  amp::host_context host;
  amp::cuda_context cuda;
  CAPTURE(s.elements());
  for (double p : {2.0, 1.0})
    for (int skip : {0, 1}) {
      const check::in_reverse order(skip == 1);
      CHECK(check::different(norms<T>(cuda, s, over, p, skip, skip == 1), norms<T>(host, s, over, p, skip, skip == 1)) == 0);
    }
}
/// A fold that gives two numbers.
struct sum_and_count {
  AMPHORA_HD amp::detail::fold_state start() const { return {}; }
  template <class Real> AMPHORA_HD void add(amp::detail::fold_state& s, Real x) const { s.first += static_cast<double>(x), s.second += 1; }
  AMPHORA_HD amp::detail::fold_state join(const amp::detail::fold_state& a, const amp::detail::fold_state& b) const { return {a.first + b.first, a.second + b.second}; }
  AMPHORA_HD amp::detail::fold_state finish(const amp::detail::fold_state& s) const { return s; }
};
template <class Context> std::vector<float> sums_and_counts(Context& c, const amp::shape& s, const amp::axes& over) {
  const amp::detail::axis_set set = amp::detail::axis_set::of(over, s.rank());
  const amp::shape pairs{2 * amp::detail::reduced_shape(s, set, false).elements()};
  check::array<float, Context> x(c, s, check::numbers<float>(s.elements(), 1)), y(c, pairs, check::numbers<float>(pairs.elements(), 2));
  amp::detail::fold_all(amp::detail::list<amp::f32>{}, c, sum_and_count{}, s, set, amp::detail::write(y.view()), amp::detail::operand(x.view()));
  return y.wait_read();
}

}  // namespace

TEST_CASE_TEMPLATE("folds over each set of axes have the host's bits, in every order of blocks", T, float16, float, double) {
  for (const amp::axes& over : {amp::axes{}, amp::axes{0}, amp::axes{1}, amp::axes{2}, amp::axes{0, 1}, amp::axes{0, 2}, amp::axes{1, 2}}) {
    check_norms<T>({5, 70, 45}, over);
    check_norms<T>({3, 0, 8}, over);
    check_norms<T>({0, 3, 8}, over);
    check_norms<T>({1, 1, 9}, over);
  }
  check_norms<T>({}, {});
  check_norms<T>({4, 5, 3, 8}, {0, 2});
}
TEST_CASE_TEMPLATE("so have folds of every length", T, float16, float) {
  for (const std::int64_t n : {0, 1, 7, 31, 33, 300, 4097}) check_norms<T>({n}, {}), check_norms<T>({3, n}, {1}), check_norms<T>({n, 3}, {0}), check_norms<T>({n, 3}, {1});
}
TEST_CASE("a fold may give two numbers for each result, also where it has many chunks") {
  amp::host_context host;
  amp::cuda_context cuda;
  for (const amp::shape& s : {amp::shape{3, 5}, amp::shape{3, 9000}, amp::shape{9000, 3}, amp::shape{3, 0}})
    for (const amp::axes& over : {amp::axes{0}, amp::axes{1}}) {
      const auto got = sums_and_counts(cuda, s, over);
      CHECK(check::different(got, sums_and_counts(host, s, over)) == 0);
      const auto results = got.size() / 2;
      for (std::size_t i = 0; i < results; ++i) CHECK(got[results + i] == static_cast<float>(over[0] == 0 ? s[0] : s[1]));
    }
}
