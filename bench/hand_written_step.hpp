// The optimizer phase as a person would write it for one CPU with AVX-512: what the library's generic step is measured against.
#pragma once
#include <immintrin.h>
#include <omp.h>

#include <cmath>    // fmin, pow, sqrt
#include <cstdint>  // int64_t, uint16_t
#include <utility>  // pair

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 says so of its own intrinsics (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// One tensor: 16-bit gradients, float masters and moments, a 16-bit copy. Sizes are multiples of 64.
namespace hand_written {

#define HAND_WRITTEN __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma,f16c")))

struct f16 {
  HAND_WRITTEN static __m512 load(const std::uint16_t* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))); }
  HAND_WRITTEN static void store(std::uint16_t* p, __m512 x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_maskz_cvtps_ph(0xffff, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
};
struct bf16 {
  HAND_WRITTEN static __m512 load(const std::uint16_t* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16));
  }
  HAND_WRITTEN static void store(std::uint16_t* p, __m512 x) {  // to nearest even; weights here are never NaN
    const __m512i bits = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
  }
};

/// This thread's share of n, in units of 64.
inline std::pair<std::int64_t, std::int64_t> share(std::int64_t n) {
  const std::int64_t blocks = n / 64, thread = omp_get_thread_num(), threads = omp_get_num_threads();
  return {blocks * thread / threads * 64, blocks * (thread + 1) / threads * 64};
}

template <class Format>
HAND_WRITTEN double sum_of_squares(const std::uint16_t* g, std::int64_t from, std::int64_t to) {
  double total = 0;
  for (std::int64_t start = from; start < to; start += 65536) {  // short sums in float, longer ones in double
    const std::int64_t stop = start + 65536 < to ? start + 65536 : to;
    __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
    for (std::int64_t i = start; i < stop; i += 64) {
      const __m512 p = Format::load(g + i), q = Format::load(g + i + 16), r = Format::load(g + i + 32), s = Format::load(g + i + 48);
      a = _mm512_fmadd_ps(p, p, a), b = _mm512_fmadd_ps(q, q, b), c = _mm512_fmadd_ps(r, r, c), d = _mm512_fmadd_ps(s, s, d);
    }
    total += static_cast<double>(_mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d))));
  }
  return total;
}

struct adamw_numbers { float factor, keep, take1, keep2, take2, size, root, eps; };

template <class Format>
HAND_WRITTEN void adamw(const adamw_numbers& n, const std::uint16_t* g, float* w, float* m, float* v, std::uint16_t* low, std::int64_t from, std::int64_t to) {
  const __m512 factor = _mm512_set1_ps(n.factor), keep = _mm512_set1_ps(n.keep), take1 = _mm512_set1_ps(n.take1), keep2 = _mm512_set1_ps(n.keep2);
  const __m512 take2 = _mm512_set1_ps(n.take2), size = _mm512_set1_ps(-n.size), root = _mm512_set1_ps(n.root), eps = _mm512_set1_ps(n.eps);
  for (std::int64_t i = from; i < to; i += 16) {
    const __m512 x = _mm512_mul_ps(Format::load(g + i), factor);
    const __m512 old = _mm512_loadu_ps(m + i);
    const __m512 first = _mm512_fmadd_ps(_mm512_sub_ps(x, old), take1, old);
    const __m512 second = _mm512_fmadd_ps(_mm512_mul_ps(x, x), take2, _mm512_mul_ps(_mm512_loadu_ps(v + i), keep2));
    const __m512 quotient = _mm512_div_ps(first, _mm512_fmadd_ps(_mm512_sqrt_ps(second), root, eps));
    const __m512 weight = _mm512_fmadd_ps(quotient, size, _mm512_mul_ps(_mm512_loadu_ps(w + i), keep));
    _mm512_storeu_ps(m + i, first), _mm512_storeu_ps(v + i, second), _mm512_storeu_ps(w + i, weight);
    Format::store(low + i, weight);
  }
}

/// Unscale, finite check, clip to a norm of 1, AdamW, copy. Whether the step was taken.
template <class Format>
bool step(int threads, double scale, int number, const std::uint16_t* g, float* w, float* m, float* v, std::uint16_t* low, std::int64_t n) {
  double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    const auto [from, to] = share(n);
    total += sum_of_squares<Format>(g, from, to);
  }
  const double norm = std::sqrt(total) / scale;
  if (!(norm < 1e300)) return false;
  const double lr = 1e-4, correction1 = 1 - std::pow(0.9, number), correction2 = 1 - std::pow(0.999, number);
  const adamw_numbers numbers = {static_cast<float>(std::fmin(1, 1 / (norm + 1e-6)) / scale), static_cast<float>(1 - lr * 0.01), 0.1f, 0.999f, 0.001f,
                                 static_cast<float>(lr / correction1), static_cast<float>(1 / std::sqrt(correction2)), 1e-8f};
#pragma omp parallel num_threads(threads)
  {
    const auto [from, to] = share(n);
    adamw<Format>(numbers, g, w, m, v, low, from, to);
  }
  return true;
}

HAND_WRITTEN inline void add_halves(float* __restrict a, const float* __restrict b, std::int64_t from, std::int64_t to) {
  const __m512 half = _mm512_set1_ps(0.5f);
  for (std::int64_t i = from; i < to; i += 16)
    _mm512_storeu_ps(a + i, _mm512_fmadd_ps(_mm512_loadu_ps(a + i), half, _mm512_mul_ps(_mm512_loadu_ps(b + i), half)));
}

/// What the memory allows: reads two arrays and writes one of them in place, and does next to nothing with them.
inline void update_loop(int threads, float* __restrict a, const float* __restrict b, std::int64_t n) {
#pragma omp parallel num_threads(threads)
  {
    const auto [from, to] = share(n);
    add_halves(a, b, from, to);
  }
}

#undef HAND_WRITTEN

}  // namespace hand_written
