// Runs of numbers between memory of any format and the float (or double) that an op computes in.
#pragma once
#include <amphora/format/convert.hpp>    // convert
#include <amphora/format/format_id.hpp>  // format_id, size_of
#include <amphora/host/block.hpp>        // block, block_size, load_number, nth, store_number
#include <amphora/host/level.hpp>        // level_avx2, has_avx2
#include <amphora/ops/operand.hpp>       // source, target

#include <cstdint>  // int64_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A source or a target whose formats have become values: host loops are compiled once, not once a format.
struct host_source {
  const void* data;
  format_id given;  ///< as it lies in memory
  format_id read;   ///< as the op reads it: rounded once where that is narrower

  template <class Given, class Read>
  host_source(const source<Given, Read>& x)
      : data(x.data), given(format_id_v<Given>), read(loses<Given, Read> ? format_id_v<Read> : format_id_v<Given>) {}

 private:
  template <class From, class To> static constexpr bool loses =
      To::significand_bits < From::significand_bits || To::exponent_bits < From::exponent_bits;
};
struct host_target {
  void* data;
  format_id format;
  bool add;

  template <class Format> host_target(const target<Format>& y) : data(y.data), format(format_id_v<Format>), add(y.add) {}
};

/// Whole blocks of 64 with a level's instructions.
template <class Level> struct block_runs;
#define AMPHORA_BLOCK_RUNS(level, attribute)                                                                                  \
  template <> struct block_runs<level> {                                                                                      \
    attribute static void load(format_id format, const char* from, float* to, std::int64_t blocks) {                          \
      for (; blocks > 0; --blocks, from += block_size * size_of(format), to += block_size) block<level>::load(format, from, to);  \
    }                                                                                                                         \
    attribute static void store(format_id format, const float* from, char* to, std::int64_t blocks) {                         \
      for (; blocks > 0; --blocks, from += block_size, to += block_size * size_of(format)) block<level>::store(format, from, to); \
    }                                                                                                                         \
  };
AMPHORA_BLOCK_RUNS(level_base, )
#if AMPHORA_X86
AMPHORA_BLOCK_RUNS(level_avx2, AMPHORA_AVX2)
AMPHORA_BLOCK_RUNS(level_avx512, AMPHORA_AVX512)
#endif
#undef AMPHORA_BLOCK_RUNS

/// n numbers to float, whatever their format but f64.
inline void load_floats(format_id format, const void* from, float* to, std::int64_t n) {
  if (format == format_id::f32) {
    if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  const std::int64_t blocks = n / block_size;
  const auto* bytes = static_cast<const char*>(from);
#if AMPHORA_X86
  if (has_avx512()) block_runs<level_avx512>::load(format, bytes, to, blocks);
  else if (has_avx2()) block_runs<level_avx2>::load(format, bytes, to, blocks);
  else
#endif
    block_runs<level_base>::load(format, bytes, to, blocks);
  for (std::int64_t i = blocks * block_size; i < n; ++i) to[i] = load_number(format, from, i);
}
/// n floats to a format, each rounded once.
inline void store_floats(format_id format, const float* from, void* to, std::int64_t n) {
  if (format == format_id::f32) {
    if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  const std::int64_t blocks = n / block_size;
  auto* bytes = static_cast<char*>(to);
#if AMPHORA_X86
  if (has_avx512()) block_runs<level_avx512>::store(format, from, bytes, blocks);
  else if (has_avx2()) block_runs<level_avx2>::store(format, from, bytes, blocks);
  else
#endif
    block_runs<level_base>::store(format, from, bytes, blocks);
  for (std::int64_t i = blocks * block_size; i < n; ++i) store_number(format, from[i], to, i);
}
/// Rounds floats to a format and back.
inline void round_floats(format_id format, float* x, std::int64_t n) {
  alignas(64) char stored[256];
  for (std::int64_t i = 0; i < n; i += 64) {
    const std::int64_t count = n - i < 64 ? n - i : 64;
    store_floats(format, x + i, stored, count);
    load_floats(format, stored, x + i, count);
  }
}

/// n numbers from place i on, as the op reads them.
inline void load_run(const host_source& x, std::int64_t i, std::int64_t n, float* to) {
  load_floats(x.given, nth(x.data, x.given, i), to, n);
  if (x.read != x.given) round_floats(x.read, to, n);
}
inline void load_run(const host_source& x, std::int64_t i, std::int64_t n, double* to) {
  if (x.given == format_id::f64) {
    if (n > 0) std::memcpy(to, nth(x.data, x.given, i), static_cast<std::size_t>(n) * sizeof(double));
    return;
  }
  float part[64];
  for (std::int64_t done = 0; done < n; done += 64) {
    const std::int64_t count = n - done < 64 ? n - done : 64;
    load_run(x, i + done, count, part);
    for (std::int64_t j = 0; j < count; ++j) to[done + j] = part[j];
  }
}
/// n numbers that lie `stride` apart.
template <class Real> void load_run(const host_source& x, std::int64_t i, std::int64_t n, std::int64_t stride, Real* to) {
  if (stride == 1) return load_run(x, i, n, to);
  if (stride == 0) {
    if (n > 0) load_run(x, i, 1, to);
    for (std::int64_t j = 1; j < n; ++j) to[j] = to[0];
    return;
  }
  for (std::int64_t j = 0; j < n; ++j) load_run(x, i + j * stride, 1, to + j);
}

/// n numbers to places i on, each rounded once; where the target says so, after adding what stands there.
inline void store_run(const host_target& y, std::int64_t i, std::int64_t n, float* from) {
  void* to = nth(y.data, y.format, i);
  if (y.add) {
    float part[64];
    for (std::int64_t done = 0; done < n; done += 64) {
      const std::int64_t count = n - done < 64 ? n - done : 64;
      load_floats(y.format, nth(to, y.format, done), part, count);
      for (std::int64_t j = 0; j < count; ++j) from[done + j] += part[j];
    }
  }
  store_floats(y.format, from, to, n);
}
/// A double to a format, rounded once (not through float); 8-bit formats saturate.
inline void store_double(format_id format, double x, void* to) {
  const auto put = [to](auto v) { std::memcpy(to, &v, sizeof v); };
  switch (format) {
    case format_id::f16: return put(convert<f16>(x));
    case format_id::bf16: return put(convert<bf16>(x));
    case format_id::f32: return put(static_cast<float>(x));
    case format_id::f64: return put(x);
    case format_id::e4m3: return put(convert<e4m3, saturating>(x));
    case format_id::e5m2: return put(convert<e5m2, saturating>(x));
    case format_id::none: return;
  }
}
inline void store_run(const host_target& y, std::int64_t i, std::int64_t n, double* from) {
  char* to = static_cast<char*>(nth(y.data, y.format, i));
  for (std::int64_t j = 0; j < n; ++j, to += size_of(y.format)) {
    double old = 0;
    if (y.add && y.format == format_id::f64) std::memcpy(&old, to, sizeof old);
    else if (y.add) old = static_cast<double>(load_number(y.format, to, 0));
    store_double(y.format, y.add ? from[j] + old : from[j], to);
  }
}
/// Rounds numbers to a format and back.
inline void round_run(format_id format, float* x, std::int64_t n) {
  if (format != format_id::f32) round_floats(format, x, n);
}
inline void round_run(format_id format, double* x, std::int64_t n) {
  if (format == format_id::f64) return;
  for (std::int64_t i = 0; i < n; ++i) {
    alignas(8) char stored[8];
    store_double(format, x[i], stored);
    x[i] = static_cast<double>(load_number(format, stored, 0));
  }
}
template <class Real> void store_run(const host_target& y, std::int64_t i, std::int64_t n, std::int64_t stride, Real* from) {
  if (stride == 1) return store_run(y, i, n, from);
  for (std::int64_t j = 0; j < n; ++j) store_run(y, i + j * stride, 1, from + j);
}

}}}  // namespace amphora::detail
