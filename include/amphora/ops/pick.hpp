// Values that are made of any numbers of their operands, wherever these lie: what indexing, resampling and sums by index are made of.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/format.hpp>  // f64
#include <amphora/ops/operand.hpp>    // source
#include <amphora/tensor/view.hpp>    // view

#include <cstdint>      // int64_t
#include <limits>       // quiet_NaN
#include <type_traits>  // conditional_t, is_integral_v, is_same_v
#include <utility>      // declval

/// Before functors that read through what a device gives them: nvcc is not to ask whether the host could.
#if defined(__NVCC__)
#define AMPHORA_READS _Pragma("nv_exec_check_disable")
#else
#define AMPHORA_READS
#endif
/// Before loops of a fixed length over local arrays, which then stay in registers.
#if defined(__CUDACC__)
#define AMPHORA_UNROLL _Pragma("unroll")
#else
#define AMPHORA_UNROLL
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// run(context, f, n, target, from…)        y[i] = f(i, x…) for i below n
/// run_at(context, f, n, target, from…)     y[f.place(i, x…)] = f(i, x…) where that place is not negative; no two i have the same one, or all write the same
/// rows(context, f, n, width, target, x, index…)  row r of y is row f(r, index…) of x, NaN where that is negative; rows are `width` numbers
/// indices(context, f, n, to, from…)        the same as run to int64
///
/// f     a functor at namespace scope. Its x… are readers: x(j) is number j of an operand, as float or double, or an index as int64. With sums and
///       products that round once each (add_once, multiply_once) all devices give the same bits
/// from  pool, index_source
template <class Device> struct pick_kernels;

/// Numbers to read from, and how many there are.
template <class Given, class Read = Given> struct pool {
  source<Given, Read> from;
  std::int64_t size;
};
template <class Read, class T> pool<format_of_t<T>, Read> pool_of(const view<const T>& x) { return {{x.data()}, x.size()}; }
template <class T> pool<format_of_t<T>> pool_of(const view<const T>& x) { return {{x.data()}, x.size()}; }

/// Integers to read, int32 or int64; or a bool each, as 0 and 1.
struct index_source {
  const void* data = nullptr;
  int bytes = 8;
};
template <class T> inline constexpr bool is_index_or_mask_v = std::is_integral_v<T> && (std::is_same_v<T, bool> || sizeof(T) == 4 || sizeof(T) == 8);
template <class T> index_source index_of(const view<const T>& x) {
  static_assert(is_index_or_mask_v<T>, "amphora [unknown-storage-type]: indices are integers; give std::int32_t or std::int64_t");
  return {x.data(), static_cast<int>(sizeof(T))};
}

/// What the numbers are read as: double as soon as f64 is among them or is written.
template <class From> inline constexpr bool reads_double_v = false;
template <class Given, class Read> inline constexpr bool reads_double_v<pool<Given, Read>> = std::is_same_v<Given, f64> || std::is_same_v<Read, f64>;
template <class Y, class... From> struct pick_real { using t = std::conditional_t<(std::is_same_v<Y, f64> || ... || reads_double_v<From>), double, float>; };

/// What an index reads that is not there.
template <class Real> inline constexpr Real no_such_number = std::numeric_limits<Real>::quiet_NaN();

/// The arithmetic of a functor: what its first reader of numbers gives.
template <class Reader> using read_by_t = decltype(std::declval<const Reader&>()(std::int64_t()));

}}}  // namespace amphora::detail
