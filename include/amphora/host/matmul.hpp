// Matrix products on the host: single-threaded Eigen over tiles of fixed size, in parallel over tiles.
#pragma once
#include <amphora/detail/config.hpp>  // this_build
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/eigen.hpp>     // general_matrix_matrix_product
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/gelu.hpp>       // gelu_value
#include <amphora/ops/kernels.hpp>    // matmul_kernels
#include <amphora/ops/product.hpp>    // product

#include <algorithm>    // min
#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Tiles of a product. They fix the order of every sum, so they belong to the arithmetic and are no tuning.
inline constexpr std::int64_t tile_rows = 256, tile_columns = 256, tile_depth = 256;

#if defined(EIGEN_USE_BLAS)
struct eigen_blas {};
using eigen_build = eigen_blas;
#else
struct eigen_own {};
using eigen_build = eigen_own;
#endif

/// Eigen's blocking, with our fixed sizes and memory from the context's workspace.
template <class Real>
struct eigen_blocking : Eigen::internal::level3_blocking<Real, Real> {
  eigen_blocking(Real* memory) {
    this->m_blockA = memory, this->m_blockB = memory + tile_rows * tile_depth;
    this->m_mc = tile_rows, this->m_nc = tile_columns, this->m_kc = tile_depth;
  }
};

/// c += op(a) · op(b), all row-major. The call below the one that would start Eigen's threads; with EIGEN_USE_BLAS it is BLAS's gemm.
template <class Real, bool ATransposed, bool BTransposed, class Build = eigen_build>
void add_product(std::int64_t m, std::int64_t n, std::int64_t k, const Real* a, std::int64_t a_stride, const Real* b,
                 std::int64_t b_stride, Real* c, std::int64_t c_stride, Real* blocks) {
  eigen_blocking<Real> blocking(blocks);
  Eigen::internal::general_matrix_matrix_product<Eigen::Index, Real, ATransposed ? Eigen::ColMajor : Eigen::RowMajor, false, Real,
      BTransposed ? Eigen::ColMajor : Eigen::RowMajor, false, Eigen::RowMajor, 1>::run(m, n, k, a, a_stride, b, b_stride, c, 1,
      c_stride, Real(1), blocking, nullptr);
}

/// One product with its formats erased.
template <class Real>
struct host_product {
  product p;
  host_target c;
  host_source a, b, bias, mask;  ///< bias [n] and mask [m, n] where the product has them

  static constexpr format_id own = std::is_same_v<Real, double> ? format_id::f64 : format_id::f32;
  static bool is_direct(const host_source& x) { return x.given == own && x.read == own; }
  bool writes_direct() const { return c.format == own && !c.add; }

  /// What one thread needs, in numbers: two panels, a tile of the result, Eigen's own two blocks.
  std::int64_t workspace() const { return 3 * tile + 2 * tile; }
  static constexpr std::int64_t tile = tile_rows * tile_depth;
  static_assert(tile_rows == tile_depth && tile_columns == tile_depth);

  /// A panel of rows × columns of a matrix that lies with `stride` numbers a row: in place, or converted into memory.
  static const Real* panel(const host_source& x, std::int64_t at_row, std::int64_t at_column, std::int64_t stride, std::int64_t offset,
                           std::int64_t rows, std::int64_t columns, Real* memory, std::int64_t& panel_stride) {
    const std::int64_t first = offset + at_row * stride + at_column;
    if (is_direct(x)) {
      panel_stride = stride;
      return static_cast<const Real*>(x.data) + first;
    }
    panel_stride = columns;
    if (columns == stride) load_run(x, first, rows * columns, memory);
    else
      for (std::int64_t r = 0; r < rows; ++r) load_run(x, first + r * stride, columns, memory + r * columns);
    return memory;
  }

  /// The tile of the result that starts at (row, column) of the matrix with these offsets.
  template <bool ATransposed, bool BTransposed>
  void run_tile(std::int64_t row, std::int64_t column, const std::int64_t* offset, Real* memory) const {
    const std::int64_t rows = (std::min)(tile_rows, p.m - row), columns = (std::min)(tile_columns, p.n - column);
    Real *panel_a = memory, *panel_b = memory + tile, *sums = memory + 2 * tile, *blocks = memory + 3 * tile;
    std::int64_t sums_stride = columns;
    if (writes_direct()) sums = static_cast<Real*>(c.data) + offset[2] + row * p.n + column, sums_stride = p.n;
    for (std::int64_t r = 0; r < rows; ++r) std::fill_n(sums + r * sums_stride, columns, Real(0));

    const std::int64_t terms = p.k == 0 ? 0 : p.summed.count();
    for (std::int64_t term = 0; term < terms; ++term) {
      std::int64_t at_a = offset[0], at_b = offset[1], rest = term;
      for (int i = p.summed.rank - 1; i >= 0; --i) {
        const std::int64_t index = rest % p.summed.extent[i];
        rest /= p.summed.extent[i], at_a += index * p.summed.a[i], at_b += index * p.summed.b[i];
      }
      for (std::int64_t k = 0; k < p.k; k += tile_depth) {
        const std::int64_t depth = (std::min)(tile_depth, p.k - k);
        std::int64_t stride_a = 0, stride_b = 0;
        const Real* from_a = ATransposed ? panel(a, k, row, p.m, at_a, depth, rows, panel_a, stride_a)
                                         : panel(a, row, k, p.k, at_a, rows, depth, panel_a, stride_a);
        const Real* from_b = BTransposed ? panel(b, column, k, p.k, at_b, columns, depth, panel_b, stride_b)
                                         : panel(b, k, column, p.n, at_b, depth, columns, panel_b, stride_b);
        add_product<Real, ATransposed, BTransposed>(rows, columns, depth, from_a, stride_a, from_b, stride_b, sums, sums_stride, blocks);
      }
    }
    finish(row, column, rows, columns, offset[2], sums, sums_stride, panel_a);
  }

  void finish(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns, std::int64_t offset, Real* sums,
              std::int64_t sums_stride, Real* memory) const {
    if (p.factor != 1)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) sums[r * sums_stride + j] *= static_cast<Real>(p.factor);
    if (p.has_bias) {
      load_run(bias, column, columns, memory);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) sums[r * sums_stride + j] += memory[j];
    }
    if (p.relu)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) sums[r * sums_stride + j] = sums[r * sums_stride + j] < 0 ? Real(0) : sums[r * sums_stride + j];
    if (p.gelu)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) sums[r * sums_stride + j] = gelu_value{gelu_form::tanh}(0, sums[r * sums_stride + j]);
    if (p.has_mask)
      for (std::int64_t r = 0; r < rows; ++r) {
        load_run(mask, offset + (row + r) * p.n + column, columns, memory);
        for (std::int64_t j = 0; j < columns; ++j) sums[r * sums_stride + j] = memory[j] <= 0 ? Real(0) : sums[r * sums_stride + j];
      }
    if (writes_direct()) return;
    if (columns == p.n) store_run(c, offset + row * p.n, rows * columns, sums);
    else
      for (std::int64_t r = 0; r < rows; ++r) store_run(c, offset + (row + r) * p.n + column, columns, sums + r * sums_stride);
  }

  template <bool ATransposed, bool BTransposed, class Build = this_build>
  void run_tiles(host_context& context) const {
    const std::int64_t down = (p.m + tile_rows - 1) / tile_rows, across = (p.n + tile_columns - 1) / tile_columns;
    const std::int64_t tiles = p.kept.count() * down * across;
    if (tiles == 0 || p.m == 0 || p.n == 0) return;
    const bool worth = tiles > 1 && static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) > 1e5;
    const int threads = worth ? static_cast<int>((std::min)(std::int64_t(context.threads()), tiles)) : 1;
    const auto bytes = static_cast<std::size_t>(threads * workspace()) * sizeof(Real);
    Real* memory = static_cast<Real*>(context.allocate(bytes));
    const auto one = [&](std::int64_t t, Real* own_memory) {
      std::int64_t offset[3] = {0, 0, 0}, rest = t / (down * across);
      for (int i = p.kept.rank - 1; i >= 0; --i) {
        const std::int64_t index = rest % p.kept.extent[i];
        rest /= p.kept.extent[i];
        offset[0] += index * p.kept.a[i], offset[1] += index * p.kept.b[i], offset[2] += index * p.kept.c[i];
      }
      run_tile<ATransposed, BTransposed>(t / across % down * tile_rows, t % across * tile_columns, offset, own_memory);
    };
#if defined(_OPENMP)
    if (threads > 1) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
      for (int thread = 0; thread < threads; ++thread)
        for (std::int64_t t = thread; t < tiles; t += threads) one(t, memory + thread * workspace());
    } else
#endif
      for (std::int64_t t = 0; t < tiles; ++t) one(t, memory);
    context.release(memory, bytes);
  }
};

template <>
struct matmul_kernels<host_device> {
  template <class Accumulate, class C, class A, class ReadA, class B, class ReadB, class Bias, class ReadBias, class Mask>
  static void run(host_context& context, const product& p, const target<C>& c, const source<A, ReadA>& a, const source<B, ReadB>& b,
                  const source<Bias, ReadBias>& bias, const source<Mask>& mask) {
    run_erased(context, host_product<arithmetic_t<Accumulate, ReadA, ReadB>>{p, c, a, b, bias, mask});
  }

 private:
  template <class Real> static void run_erased(host_context& context, const host_product<Real>& work) {
    if (work.p.a_transposed && work.p.b_transposed) work.template run_tiles<true, true>(context);
    else if (work.p.a_transposed) work.template run_tiles<true, false>(context);
    else if (work.p.b_transposed) work.template run_tiles<false, true>(context);
    else work.template run_tiles<false, false>(context);
  }
};

}}}  // namespace amphora::detail
