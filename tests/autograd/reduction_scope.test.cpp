#include <amphora/autograd/scope.hpp>

#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("in a scope reductions of variables have the values of the calls that name policy and context, and so have reductions of arrays") {
  test_context context;
  const amp::tape tape(context);
  const auto x = check::random<amp::float16>(context, {3, 9}, 1), y = check::random<amp::float16>(context, {3, 9}, 2);
  const auto a = tape.leaf(check::random<amp::float16>(context, {3, 9}, 1)), b = tape.leaf(check::random<amp::float16>(context, {3, 9}, 2));
  int calls = 0;
  const auto same = [&](const auto& recorded, const auto& called, const auto& expected) {
    ++calls;
    CHECK(values(context, recorded) == values(context, expected));
    CHECK(values(context, called) == values(context, expected));
  };
  const amp::axes rows{1};
  amp::autocast<policy>(tape, [&](auto on_tape) {
    amp::autocast<policy>(context, [&](auto on_arrays) {
      same(on_tape.sum(a, rows), on_arrays.sum(x, rows), amp::sum<policy>(context, x, rows));
      same(on_tape.mean(a, rows), on_arrays.mean(x, rows), amp::mean<policy>(context, x, rows));
      same(on_tape.prod(a, rows), on_arrays.prod(x, rows), amp::prod<policy>(context, x, rows));
      same(on_tape.logsumexp(a, rows), on_arrays.logsumexp(x, rows), amp::logsumexp<policy>(context, x, rows));
      same(on_tape.norm(a, 3, rows), on_arrays.norm(x, 3, rows), amp::norm<policy>(context, x, 3, rows));
      same(on_tape.vector_norm(a), on_arrays.vector_norm(x), amp::vector_norm<policy>(context, x));
      same(on_tape.softmax(a), on_arrays.softmax(x), amp::softmax<policy>(context, x));
      same(on_tape.log_softmax(a, 0), on_arrays.log_softmax(x, 0), amp::log_softmax<policy>(context, x, 0));
      same(on_tape.softmin(a), on_arrays.softmin(x), amp::softmin<policy>(context, x));
      same(on_tape.cumsum(a), on_arrays.cumsum(x), amp::cumsum<policy>(context, x));
      same(on_tape.cumprod(a, 0), on_arrays.cumprod(x, 0), amp::cumprod<policy>(context, x, 0));
      same(on_tape.renorm(a, 2, 0, 1), on_arrays.renorm(x, 2, 0, 1), amp::renorm<policy>(context, x, 2, 0, 1));
      same(on_tape.dist(a, b, 1), on_arrays.dist(x, y, 1), amp::dist<policy>(context, x, y, 1));
      same(on_tape.cdist(a, b), on_arrays.cdist(x, y), amp::cdist<policy>(context, x, y));
      same(on_tape.pdist(a), on_arrays.pdist(x), amp::pdist<policy>(context, x));
      same(on_tape.cosine_similarity(a, b), on_arrays.cosine_similarity(x, y), amp::cosine_similarity<policy>(context, x, y));
    });
  });
  CHECK(calls == 16);
}
