// Strided copies on CUDA: eight neighbours a thread where both arrays have them, by tiles where each runs along another axis.
#pragma once
#include <amphora/cuda/access.cuh>    // eight
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, read_eight, write_one, write_eight, is_wide_at
#include <amphora/ops/movement.hpp>   // movement, movement_kernels
#include <amphora/ops/operand.hpp>    // source, target, arithmetic_t

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

struct moved_place {
  std::int64_t y, x;
  bool inside;
};
/// Where the element with this number lies in both arrays.
__device__ inline moved_place place_in(const movement& m, std::int64_t i) {
  moved_place at = {m.y_first, m.x_first, true};
  for (int axis = m.rank - 1; axis >= 0; --axis) {
    const std::int64_t outer = axis > 0 ? i / m.extent[axis] : 0, c = i - outer * m.extent[axis];
    at.y += c * m.to[axis], at.x += c * m.from[axis], at.inside = at.inside && c >= m.low[axis] && c < m.high[axis];
    i = outer;
  }
  return at;
}

/// wide  whether places are taken in eights
template <class Real, class Y, class Source>
AMPHORA_KERNEL void move_elements(const movement m, bool wide, const target<Y> y, const Source x) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, threads = std::int64_t(gridDim.x) * blockDim.x;
  if (wide) {
    for (std::int64_t k = first; 8 * k < m.elements; k += threads) {
      const moved_place at = place_in(m, 8 * k);
      eight<Real> v;
      if (at.inside) {
        v = read_eight<Real>(x, at.x);
      } else {
#pragma unroll
        for (int j = 0; j < 8; ++j) v.x[j] = static_cast<Real>(m.value);
      }
      write_eight(y, at.y, v);
    }
    return;
  }
  for (std::int64_t i = first; i < m.elements; i += threads) {
    const moved_place at = place_in(m, i);
    write_one(y, at.y, at.inside ? read_one<Real>(x, at.x) : static_cast<Real>(m.value));
  }
}

inline constexpr int tile_side = 32;

/// Tiles of the axis along which x lies and the last one, along which y does. Each is read and written in whole rows.
template <class Real, class Y, class Source>
AMPHORA_KERNEL void move_tiles(const movement m, int along_x, std::int64_t tiles, const target<Y> y, const Source x) {
  __shared__ Real tile[tile_side][tile_side + 1];
  const int last = m.rank - 1, column = static_cast<int>(threadIdx.x) % tile_side, row = static_cast<int>(threadIdx.x) / tile_side;
  const std::int64_t across = (m.extent[last] + tile_side - 1) / tile_side, down = (m.extent[along_x] + tile_side - 1) / tile_side;
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t a = t % across * tile_side, b = t / across % down * tile_side;
    std::int64_t at_y = m.y_first, at_x = m.x_first, rest = t / across / down;
    for (int axis = last - 1; axis >= 0; --axis) {
      if (axis == along_x) continue;
      const std::int64_t outer = rest / m.extent[axis], c = rest - outer * m.extent[axis];
      at_y += c * m.to[axis], at_x += c * m.from[axis], rest = outer;
    }
    for (int r = row; r < tile_side; r += block_threads / tile_side)
      if (a + r < m.extent[last] && b + column < m.extent[along_x]) tile[r][column] = read_one<Real>(x, at_x + (a + r) * m.from[last] + (b + column) * m.from[along_x]);
    __syncthreads();
    for (int r = row; r < tile_side; r += block_threads / tile_side)
      if (b + r < m.extent[along_x] && a + column < m.extent[last]) write_one(y, at_y + (a + column) * m.to[last] + (b + r) * m.to[along_x], tile[column][r]);
    __syncthreads();
  }
}

template <>
struct movement_kernels<cuda_device> {
  /// The host's numbers; a NaN is the processor's own where formats differ or are 16 bits wide.
  ///
  /// Cost  one launch; reads and writes each number once
  template <class Y, class X, class Read>
  static void run(cuda_context& context, const movement& m, const target<Y>& y, const source<X, Read>& x) {
    if (m.elements == 0) return;
    using real = arithmetic_t<Y, X, Read>;
    const int last = m.rank - 1, along_x = tiled_axis(m);
    if (along_x >= 0) {
      const std::int64_t tiles = m.elements / (m.extent[last] * m.extent[along_x]) * ((m.extent[last] + tile_side - 1) / tile_side) * ((m.extent[along_x] + tile_side - 1) / tile_side);
      return launch(context, "move", grid_for(context, tiles), block_threads, move_tiles<real, Y, source<X, Read>>, m, along_x, tiles, y, x);
    }
    bool wide = m.rank > 0 && m.to[last] == 1 && m.from[last] == 1 && m.extent[last] % 8 == 0 && m.reads_all(last) && m.y_first % 8 == 0 && m.x_first % 8 == 0 && is_wide_at(y, 0) && is_wide_at(x, 0);
    for (int axis = 0; axis < last; ++axis) wide = wide && m.to[axis] % 8 == 0 && m.from[axis] % 8 == 0;
    const std::int64_t pieces = wide ? m.elements / 8 : m.elements;
    launch(context, "move", grid_for(context, (pieces + block_threads - 1) / block_threads), block_threads, move_elements<real, Y, source<X, Read>>, m, wide, y, x);
  }

 private:
  /// The axis along which x lies, where y lies along another one and both are long enough to be worth it; -1 where none.
  static int tiled_axis(const movement& m) {
    const int last = m.rank - 1;
    if (m.rank < 2 || m.to[last] != 1 || m.from[last] == 1 || m.extent[last] < 8 || !m.reads_all()) return -1;
    for (int axis = 0; axis < last; ++axis)
      if (m.from[axis] == 1 && m.extent[axis] >= 8) return axis;
    return -1;
  }
};

}}}  // namespace amphora::detail
