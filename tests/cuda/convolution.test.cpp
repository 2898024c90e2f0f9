#include <amphora/cuda/convolution.cuh>

#include <amphora/cuda_ops.cuh>
#include <amphora/ops/conv.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using golden::tensor;
using options = amp::convolution_options;

namespace {

template <class T> struct gradients { tensor<T> y, x, w; };

/// y, and the gradients of x and w for y.
template <class T> gradients<T> all_of(test_context& context, const amp::shape& x, const amp::shape& w, const options& how) {
  using policy = amp::policy<>;
  const auto on_x = check::random<T>(context, x, 1), on_w = check::random<T>(context, w, 2);
  auto y = amp::conv2d<policy>(context, on_x, on_w, amp::no_bias{}, how);
  const auto g = check::random<T>(context, y.shape(), 3);
  auto of = amp::conv2d_backward<policy>(context, g, on_x, on_w, how);
  return {std::move(y), std::move(of.x), std::move(of.w)};
}

int asked = 0;
bool refuse(amp::cuda_context&, const amp::detail::convolution_call& call) {
  ++asked;
  CHECK((call.layout.batch == 2 && call.first.data && call.second.data && call.to));
  return false;
}
/// Takes calls for y, and leaves what stood there.
bool take(amp::cuda_context&, const amp::detail::convolution_call& call) { return call.result == amp::detail::convolution_result::y; }

}  // namespace

TEST_CASE_TEMPLATE("patches that are gathered some at a time give what all of them at once do", T, float, amp::float16) {
  for (const bool reverse : {false, true}) {
    const check::in_reverse blocks(reverse);
    test_context whole, parts;
    parts.cache<amp::detail::gathered_memory>().numbers = 1;  // as few as there may be
    for (const std::int64_t stride : {1, 2}) {
      const auto how = options{}.stride(stride).padding(1).groups(2);
      const auto want = all_of<T>(whole, {2, 4, 19, 21}, {6, 2, 3, 3}, how), have = all_of<T>(parts, {2, 4, 19, 21}, {6, 2, 3, 3}, how);
      const auto near = [&](const tensor<T>& a, const tensor<T>& b, double terms) {  // of at most 1 each, in another order; then one rounding
        CHECK(check::largest_error(amp::wait_read(parts, a), amp::wait_read(whole, b)) <= (sizeof(T) == 2 ? 2 : terms * terms));
      };
      near(have.y, want.y, 18), near(have.x, want.x, 27), near(have.w, want.w, 2 * 19 * 21);
    }
  }
}

TEST_CASE("convolutions neither wait nor ask for memory a second time") {
  test_context context;
  const auto x = check::random<float>(context, {2, 3, 8, 8}, 1), w = check::random<float>(context, {4, 3, 3, 3}, 2), b = check::random<float>(context, {4}, 3);
  check::neither_waits_nor_allocates(context, [&](test_context& c) {
    const auto y = amp::conv2d<amp::o1<amp::f16>>(c, x, w, b);
    const auto of = amp::conv2d_backward<amp::o1<amp::f16>>(c, y, x, w);
  });
}

TEST_CASE("a library that the context knows of is asked first, and what it refuses is done without it") {
  test_context context;
  const auto x = check::random<float>(context, {2, 3, 5, 5}, 1), w = check::random<float>(context, {4, 3, 3, 3}, 2);
  const auto want = amp::wait_read(context, amp::conv2d<amp::o0<>>(context, x, w));
  auto& backend = context.cache<amp::detail::convolution_backend>();
  backend.run = &refuse, asked = 0;
  const auto y = amp::conv2d<amp::o0<>>(context, x, w);
  CHECK(amp::wait_read(context, y) == want);
  (void)amp::conv2d_backward<amp::o0<>>(context, y, x, w);
  CHECK(asked == 3);
  backend.run = &take;
  auto kept = check::filled<float>(context, y.shape(), 7);
  amp::conv2d<amp::o0<>>(context, amp::into(kept), x, w);
  CHECK(amp::wait_read(context, kept) == std::vector<float>(want.size(), 7));
  backend.run = nullptr;
}
