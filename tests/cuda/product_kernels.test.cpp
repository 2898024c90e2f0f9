#include <amphora/cuda/product_kernels.cuh>

#include <cuda/beside_host.hpp>
#include <cuda/product_case.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::e4m3, amp::e5m2, amp::format_id;

template <class Build = this_build>
AMPHORA_KERNEL void split_one(std::int64_t i, std::int64_t n, long long* to) {
  const split parts(i, n);
  amphora::detail::store(to, static_cast<long long>(parts.whole)), amphora::detail::store(to + 1, static_cast<long long>(parts.rest));
}

namespace {

template <class Given, class Rounded, class Memory>
void check_cast(test_context& context, std::int64_t n, std::int64_t skip, bool wide) {
  const auto from = check::numbers<amp::storage_t<Given>>(n + skip, 1, 600);
  device_array<amp::storage_t<Given>> on_from(context, from);
  device_array<amp::storage_t<Memory>> on_to(context, static_cast<std::size_t>(n) + 8, products::stored<Memory>(7));
  constexpr bool in_double = std::is_same_v<Given, f64> || std::is_same_v<Memory, f64>;
  const product_source x{on_from.data() + skip, amp::format_id_v<Given>, std::is_same_v<Rounded, Given> ? format_id::none : amp::format_id_v<Rounded>};
  launch(context, "cast_operand", 3, block_threads, cast_operand<std::conditional_t<in_double, double, float>>, x, static_cast<void*>(on_to.data()), amp::format_id_v<Memory>, n, wide);
  const auto to = on_to.get();
  int wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto rounded = products::stored<Rounded>(static_cast<double>(from[static_cast<std::size_t>(i + skip)]));
    const auto due = products::stored<Memory>(static_cast<double>(rounded));
    wrong += std::memcmp(&to[static_cast<std::size_t>(i)], &due, sizeof due) != 0;
  }
  CHECK(wrong == 0);
  for (std::size_t i = static_cast<std::size_t>(n); i < to.size(); ++i) CHECK(static_cast<double>(to[i]) == 7);
}

/// The epilogue of [matrices, m, n] by one path or the other.
template <class Sums, class C>
std::vector<amp::storage_t<C>> ended(test_context& context, bool wide, int what, int blocks) {
  const std::int64_t matrices = 3, m = 37, n = 24, all = matrices * m * n;
  device_array<amp::storage_t<Sums>> sums(context, check::numbers<amp::storage_t<Sums>>(all, 1, 5));
  device_array<amp::storage_t<C>> c(context, check::numbers<amp::storage_t<C>>(all, 2, 5));
  device_array<float> mask(context, check::numbers<float>(all, 3)), bias(context, check::numbers<float>(n, 4));
  using real = std::conditional_t<std::is_same_v<Sums, f64>, double, float>;
  product_end end = {sums.data(), c.data(), what & 1 ? mask.data() : nullptr, {what & 2 ? bias.data() : nullptr, format_id::f32, what & 8 ? format_id::bf16 : format_id::none}, amp::format_id_v<Sums>,
      amp::format_id_v<C>, format_id::f32, (what & 4) != 0, (what & 16) != 0, (what & 32) != 0, m, n, m, n, matrices};
  CHECK(end.is_wide_all());
  launch(context, "end_product", blocks, block_threads, end_product<real>, end, wide);
  return c.get();
}
template <class Sums, class C> void check_ended(test_context& context) {
  for (int what = 0; what < 64; ++what) {
    const auto wide = ended<Sums, C>(context, true, what, 2), single = ended<Sums, C>(context, false, what, 5);
    CHECK(check::different(wide, single) == 0);
  }
}

}  // namespace

TEST_CASE("places are found in 32 and in 64 bits") {
  test_context context;
  device_array<long long> parts(context, 2);
  for (const std::int64_t n : {std::int64_t(1), std::int64_t(7), (std::int64_t(1) << 32) - 1, std::int64_t(1) << 32, std::int64_t(2476250368)})
    for (const std::int64_t i : {std::int64_t(0), std::int64_t(100), std::int64_t(4294967295), (std::int64_t(1) << 40) + 3}) {
      launch(context, "split_one", 1, 1, split_one<>, i, n, parts.data());
      CHECK((parts[0] == i / n && parts[1] == i % n));
    }
}

TEST_CASE("operands are cast number by number and in eights, each rounded as the op reads it") {
  test_context context;
  for (const std::int64_t n : {1, 7, 8, 4097}) {
    for (const bool wide : {false, true}) {
      check_cast<f32, f32, f16>(context, n, 0, wide);
      check_cast<f16, f16, f32>(context, n, 0, wide);
      check_cast<bf16, bf16, f16>(context, n, 0, wide);
      check_cast<e4m3, e4m3, f16>(context, n, 0, wide);
      check_cast<e5m2, e5m2, f16>(context, n, 0, wide);
      check_cast<f32, e4m3, f16>(context, n, 0, wide);
      check_cast<f16, e5m2, f16>(context, n, 0, wide);
      check_cast<f64, f64, bf16>(context, n, 0, wide);
      check_cast<f32, bf16, f64>(context, n, 0, wide);
    }
    check_cast<f32, f32, bf16>(context, n, 1, false);
  }
}

TEST_CASE("an epilogue gives the same bits in eights and one by one, on any grid") {
  test_context context;
  for (const bool reverse : {false, true}) {
    const check::in_reverse order(reverse);
    check_ended<f32, f32>(context), check_ended<f32, f16>(context), check_ended<f32, bf16>(context);
    check_ended<f32, e4m3>(context), check_ended<f16, f16>(context), check_ended<f64, f64>(context), check_ended<f64, e5m2>(context);
  }
}
