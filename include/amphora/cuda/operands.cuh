// What a kernel reads and writes: the front's sources and targets, one number or eight at a time.
#pragma once
#include <amphora/cuda/access.cuh>       // load_one, load_eight, store_one, store_eight, registers, is_wide
#include <amphora/format/format_id.hpp>  // format_id, format_id_v
#include <amphora/format/real.hpp>       // add_once
#include <amphora/ops/operand.hpp>       // source, target

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Whether numbers of Given change when they are read as Read. tf32 is stored as f32 is: what rounds it is the product's business.
template <class Given, class Read>
inline constexpr bool changes_when_read_v = format_id_v<Given> != format_id_v<Read> &&
    (Read::significand_bits < Given::significand_bits || Read::exponent_bits < Given::exponent_bits);

template <class Given, class Read, class Real>
__device__ inline Real as_read(Real x) {
  if constexpr (changes_when_read_v<Given, Read>) return registers<Read>::template up<Real>(registers<Read>::down(x));
  else return x;
}

/// Number i of a source, as the op reads it: rounded once where that is narrower.
template <class Real, class Given, class Read>
__device__ inline Real read_one(const source<Given, Read>& x, std::int64_t i) { return as_read<Given, Read>(load_one<Given, Real>(x.data, i)); }
/// Numbers i … i + 7; the first one lies at a multiple of 16 bytes (8 for an 8-bit format).
template <class Real, class Given, class Read>
__device__ inline eight<Real> read_eight(const source<Given, Read>& x, std::int64_t i) {
  eight<Real> result = load_eight<Given, Real>(x.data, i);
#pragma unroll
  for (int j = 0; j < 8; ++j) result.x[j] = as_read<Given, Read>(result.x[j]);
  return result;
}

/// Number i of a target, rounded once; where the target says so, after adding what stands there.
template <class Format, class Real>
__device__ inline void write_one(const target<Format>& y, std::int64_t i, Real x) {
  store_one<Format>(y.data, i, y.add ? add_once(x, load_one<Format, Real>(y.data, i)) : x);
}
template <class Format, class Real>
__device__ inline void write_eight(const target<Format>& y, std::int64_t i, eight<Real> x) {
  if (y.add) {
    const eight<Real> old = load_eight<Format, Real>(y.data, i);
#pragma unroll
    for (int j = 0; j < 8; ++j) x.x[j] = add_once(x.x[j], old.x[j]);
  }
  store_eight<Format>(y.data, i, x);
}

/// Whether number i of an array lies where eight neighbours can be read at once.
template <class Format>
bool is_wide_at(const void* data, std::int64_t i) { return is_wide<Format>(static_cast<const char*>(data) + i * (Format::bits / 8)); }
template <class Given, class Read> bool is_wide_at(const source<Given, Read>& x, std::int64_t i) { return is_wide_at<Given>(x.data, i); }
template <class Format> bool is_wide_at(const target<Format>& y, std::int64_t i) { return is_wide_at<Format>(y.data, i); }

}}}  // namespace amphora::detail
