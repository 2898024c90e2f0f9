#include <amphora/cuda/masked_softmax.cuh>

#include <amphora/host/masked_softmax.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16;

namespace {

enum class mask_kind { none, bools, numbers };

/// Scores [heads, rows, keys] with a mask [rows, keys], or [heads, 1, keys] where it is broadcast along the rows.
struct masked_case {
  std::int64_t heads, rows, keys;
  mask_kind kind;
  bool causal, along_rows;
  int skip;

  amp::shape shape() const { return {heads, rows, keys}; }
  template <class Context> amp::detail::masked_lines lines(const amp::tensor<unsigned char, Context>& bools, const check::array<float16, Context>& added) const {
    amp::detail::masked_lines result;
    result.lines = heads * rows, result.length = keys, result.rows = rows, result.causal = causal;
    if (kind == mask_kind::none) return result;
    result.mask = kind == mask_kind::bools ? static_cast<const void*>(bools.data()) : added.view().data();
    result.added = kind == mask_kind::bools ? amp::format_id::none : amp::format_id::f16;
    result.step = 1, result.over.rank = 2, result.over.extent[0] = heads, result.over.extent[1] = rows;
    result.over.stride[0][along_rows ? 0 : 1] = keys;
    return result;
  }
};
template <class T> struct results { std::vector<T> forward, backward, bend; };

template <class T, class Context> results<T> run(Context& c, const masked_case& m, const std::vector<T>& scores) {
  const amp::shape s = m.shape(), mask{m.along_rows ? m.heads : m.rows, m.keys};
  std::vector<unsigned char> kept(static_cast<std::size_t>(mask.elements()));
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i % 3 != 0 && i / static_cast<std::size_t>(m.keys > 0 ? m.keys : 1) != 1;  // the second line sees nothing
  amp::tensor<unsigned char, Context> bools(c, mask);
  amp::write(c, kept, bools);
  const check::array<float16, Context> added(c, mask, check::numbers<float16>(mask.elements(), 4), m.skip);
  const check::array<T, Context> x(c, s, scores, m.skip), g(c, s, check::numbers<T>(s.elements(), 2)), h(c, s, check::numbers<T>(s.elements(), 3));
  check::array<T, Context> y(c, s, scores, m.skip), gx(c, s, scores, m.skip), bent(c, s, scores, m.skip);
  using kernels = amp::detail::masked_softmax_kernels<typename Context::device>;
  const auto read = [](const auto& a) { return amp::detail::source<amp::format_of_t<T>>{a.view().data()}; };
  const auto write = [](auto& a) { return amp::detail::target<amp::format_of_t<T>>{a.view().data(), false}; };
  const auto lines = m.lines(bools, added);
  kernels::forward(c, lines, write(y), read(x)), kernels::backward(c, lines, write(gx), read(g), read(x)), kernels::bend(c, lines, write(bent), read(h), read(g), read(x));
  return {y.wait_read(), gx.wait_read(), bent.wait_read()};
}

// As of softmax: 12 units for a weight, 48 for a gradient. The bend joins two of these, and sums once more: 96.
template <class T> void check_lines(const masked_case& m) {
  amp::host_context host;
  amp::cuda_context cuda;
  const check::in_reverse order(m.skip == 1);
  const auto scores = check::numbers<T>(m.shape().elements(), 1, 4);
  const auto of_cuda = run(cuda, m, scores), of_host = run(host, m, scores);
  const double terms = std::is_same_v<T, double> ? static_cast<double>(m.keys) : 0;
  CHECK(check::largest_error(of_cuda.forward, of_host.forward) <= 12 + terms);
  CHECK(check::largest_error(of_cuda.backward, of_host.backward) <= 48 + terms);
  CHECK(check::largest_error(of_cuda.bend, of_host.bend) <= 96 + terms);
}

}  // namespace

TEST_CASE_TEMPLATE("a masked softmax is near the host's for lines of every length, every kind of mask, aligned or not", T, float, double) {
  for (const std::int64_t keys : {0, 1, 7, 8, 9, 256, 1024, 1025, 2056})
    for (const mask_kind kind : {mask_kind::none, mask_kind::bools, mask_kind::numbers}) {
      CAPTURE(keys);
      check_lines<T>({2, 5, keys, kind, kind != mask_kind::none, false, 0});
      check_lines<T>({3, 4, keys, kind, kind == mask_kind::none, true, 1});
    }
}

TEST_CASE("a line that sees nothing is 0 in value and gradients, and so is a place that is left out, whatever stands there") {
  amp::cuda_context context;
  amp::detail::masked_lines lines;
  lines.lines = 2, lines.length = 9, lines.rows = 1, lines.causal = true;  // each line sees its first place alone
  std::vector<float> numbers(18, std::numeric_limits<float>::quiet_NaN());
  numbers[0] = 3, numbers[9] = -std::numeric_limits<float>::infinity();
  const check::array<float, amp::cuda_context> x(context, {2, 9}, numbers);
  check::array<float, amp::cuda_context> y(context, {2, 9}, numbers), gx(context, {2, 9}, numbers);
  using kernels = amp::detail::masked_softmax_kernels<amp::cuda_device>;
  kernels::forward(context, lines, amp::detail::target<amp::f32>{y.view().data(), false}, amp::detail::source<amp::f32>{x.view().data()});
  kernels::backward(context, lines, amp::detail::target<amp::f32>{gx.view().data(), false}, amp::detail::source<amp::f32>{y.view().data()}, amp::detail::source<amp::f32>{x.view().data()});
  std::vector<float> want(18, 0.0f);
  CHECK(gx.wait_read() == want);
  want[0] = 1;
  CHECK(y.wait_read() == want);
}
