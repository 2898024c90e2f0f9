// Convolutions on the host: patches gathered tile by tile into a bounded buffer, then the products of host/matmul.hpp. The gradient of the
// input takes a copy of the weights beside that.
#pragma once
#include <amphora/format/format_id.hpp>  // size_of
#include <amphora/host/context.hpp>      // host_context, host_device
#include <amphora/host/matmul.hpp>       // host_product, add_product, tile_rows
#include <amphora/host/parallel.hpp>     // for_pieces, workspace
#include <amphora/host/patches.hpp>      // host_patches, image_chunks
#include <amphora/host/run.hpp>          // host_source, host_target, load_run, store_run
#include <amphora/ops/convolution.hpp>   // convolution, convolution_kernels
#include <amphora/ops/operand.hpp>       // source, target, arithmetic_t
#include <amphora/ops/patches.hpp>       // convolution_part, parts_of_x

#include <algorithm>  // fill_n, max, min
#include <cstddef>    // size_t
#include <cstdint>    // int64_t
#include <cstring>    // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A sum over images is cut into parts that threads can share, as many as the sizes say and never more than give each part so many terms.
inline constexpr std::int64_t weight_parts = 32, weight_terms = 4096;

/// result [n, group · rows + …, places] = weights [group, rows, channel, tap] · patches, for one part of a convolution.
template <class Real>
struct part_product {
  convolution_part part;
  host_patches<Real> from;
  host_source weights;  ///< [groups, rows, from.rows()]
  host_source bias;     ///< [groups · rows], or no data
  host_target to;
  std::int64_t rows, first_image;

  static constexpr std::int64_t tile = tile_rows * tile_depth, numbers = 5 * tile;  // two panels, a tile of the result, Eigen's two blocks

  void run(host_context& context, std::int64_t images) const {
    const std::int64_t columns = images * part.from.place_count(), down = (rows + tile_rows - 1) / tile_rows, across = (columns + tile_columns - 1) / tile_columns;
    const std::int64_t tiles = from.groups * down * across;
    const bool worth = tiles > 1 && static_cast<double>(columns) * static_cast<double>(rows) * static_cast<double>(from.groups * (from.rows() + 8)) > 1e5;
    const workspace<Real> memory(context, (worth ? (std::min)(std::int64_t(context.threads()), tiles) : 1) * numbers);
    for_pieces(context, tiles, worth, [&](std::int64_t i, int thread) {
      const std::int64_t column = i % across * tile_columns;
      run_tile(i / across / down, i / across % down * tile_rows, column, (std::min)(tile_columns, columns - column), memory.data() + thread * numbers);
    });
  }

 private:
  void run_tile(std::int64_t group, std::int64_t row, std::int64_t column, std::int64_t columns, Real* memory) const {
    const std::int64_t count = (std::min)(tile_rows, rows - row), length = from.rows();
    Real *panel = memory, *gathered = memory + tile, *sums = memory + 2 * tile, *blocks = memory + 3 * tile;
    std::fill_n(sums, count * columns, Real(0));
    for (std::int64_t k = 0; k < length; k += tile_depth) {
      const std::int64_t depth = (std::min)(tile_depth, length - k);
      std::int64_t stride = 0;
      const Real* const w = host_product<Real>::panel(weights, row, k, length, group * rows * length, count, depth, panel, stride);
      from.gather(group, k, depth, column, columns, gathered);
      add_product<Real, false, false>(count, columns, depth, w, stride, gathered, columns, sums, columns, blocks);
    }
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t channel = group * rows + row + r;
      Real* const line = sums + r * columns;
      if (bias.data) {
        Real b;
        load_run(bias, channel, 1, &b);
        for (std::int64_t j = 0; j < columns; ++j) line[j] += b;
      }
      store(channel, column, columns, line);
    }
  }
  void store(std::int64_t channel, std::int64_t column, std::int64_t columns, Real* numbers_of_row) const {
    const patches& p = part.from;
    const std::int64_t all = p.place_count(), size = part.to_size();
    const bool dense = part.is_dense();
    std::int64_t image = first_image + column / all, place = column % all;
    while (columns > 0) {
      const std::int64_t base = (image * from.groups * rows + channel) * size, t2 = place % p.places[2], line = place / p.places[2];
      const std::int64_t run = (std::min)(dense ? all - place : p.places[2] - t2, columns);
      if (dense) store_run(to, base + place, run, numbers_of_row);
      else store_spread(base + part.to(line / p.places[1], line % p.places[1], t2), run, part.to_step[2], numbers_of_row);
      numbers_of_row += run, columns -= run, place += run;
      if (place == all) place = 0, ++image;
    }
  }
  /// Numbers that lie `step` apart, in whole blocks by way of a buffer where they are converted.
  void store_spread(std::int64_t i, std::int64_t n, std::int64_t step, Real* numbers_of_row) const {
    if (to.format == host_product<Real>::own && !to.add) {
      Real* const y = static_cast<Real*>(to.data) + i;
      for (std::int64_t j = 0; j < n; ++j) y[j * step] = numbers_of_row[j];
      return;
    }
    alignas(64) char block[64 * sizeof(double)];
    const auto size = static_cast<std::int64_t>(size_of(to.format));
    for (; n > 0; n -= 64, i += 64 * step, numbers_of_row += 64) {
      const std::int64_t count = (std::min)(n, std::int64_t(64));
      char* const y = static_cast<char*>(to.data) + i * size;
      const auto bytes = static_cast<std::size_t>(size);
      if (to.add)
        for (std::int64_t j = 0; j < count; ++j) std::memcpy(block + j * size, y + j * step * size, bytes);
      host_target here = to;
      here.data = block;
      store_run(here, 0, count, numbers_of_row);
      for (std::int64_t j = 0; j < count; ++j) std::memcpy(y + j * step * size, block + j * size, bytes);
    }
  }
};

/// w [group, features, channels · window] = Σ over images and places of y [features, place] · patches of x [channels · window, place].
template <class Real>
struct weight_product {
  host_patches<Real> y, x;
  host_target to;
  std::int64_t images, features;

  void run(host_context& context) const {
    const std::int64_t columns = x.rows(), down = (features + tile_rows - 1) / tile_rows, across = (columns + tile_columns - 1) / tile_columns, tiles = x.groups * down * across;
    const std::int64_t places = x.p.place_count(), terms = images * places, size = x.groups * features * columns;
    if (tiles == 0) return;
    const std::int64_t chunk = image_chunks<Real>::chunk_of((std::max)(y.image_numbers(), x.image_numbers()));
    const std::int64_t parts = (std::max)((std::min)(weight_parts / tiles, (std::min)(terms, chunk * places) / weight_terms), std::int64_t(1));
    image_chunks<Real> y_chunks(context, y.x, y.image_numbers(), images, chunk), x_chunks(context, x.x, x.image_numbers(), images, chunk);

    const bool worth = tiles * parts > 1 && static_cast<double>(terms) * static_cast<double>(size) > 1e5;
    const std::int64_t threads = worth ? (std::min)(std::int64_t(context.threads()), tiles * parts) : 1;
    const workspace<Real> memory(context, threads * 4 * tile), sums(context, parts * size);
    std::fill_n(sums.data(), parts * size, Real(0));
    for (std::int64_t first = 0; first < images && places > 0; first += chunk) {
      const std::int64_t count = (std::min)(chunk, images - first), all = count * places, each = ((all + parts - 1) / parts + tile_depth - 1) / tile_depth * tile_depth;
      host_patches<Real> y_here = y, x_here = x;
      y_here.x = y_chunks(first, count), x_here.x = x_chunks(first, count);
      for_pieces(context, tiles * parts, worth, [&](std::int64_t i, int thread) {
        const std::int64_t part = i / tiles, group = i % tiles / across / down, row = i / across % down * tile_rows, column = i % across * tile_columns;
        Real *gathered_y = memory.data() + thread * 4 * tile, *gathered_x = gathered_y + tile;
        const std::int64_t rows = (std::min)(tile_rows, features - row), wide = (std::min)(tile_columns, columns - column);
        for (std::int64_t k = part * each; k < (std::min)((part + 1) * each, all); k += tile_depth) {
          const std::int64_t depth = (std::min)(tile_depth, (std::min)((part + 1) * each, all) - k);
          y_here.gather(group, row, rows, k, depth, gathered_y);
          x_here.gather(group, column, wide, k, depth, gathered_x);
          add_product<Real, false, true>(rows, wide, depth, gathered_y, depth, gathered_x, depth, sums.data() + part * size + (group * features + row) * columns + column, columns, gathered_x + tile);
        }
      });
    }
    finish(context, sums.data(), size, parts);
  }

 private:
  static constexpr std::int64_t tile = tile_rows * tile_depth;  // two panels, Eigen's two blocks

  /// The parts are added in their order.
  void finish(host_context& context, Real* sums, std::int64_t size, std::int64_t parts) const {
    constexpr std::int64_t piece = 1 << 14;
    for_pieces(context, (size + piece - 1) / piece, size * parts > 4 * piece, [&](std::int64_t i, int) {
      const std::int64_t first = i * piece, n = (std::min)(piece, size - first);
      for (std::int64_t part = 1; part < parts; ++part)
        for (std::int64_t j = first; j < first + n; ++j) sums[j] += sums[part * size + j];
      store_run(to, first, n, sums + first);
    });
  }
};

/// A convolution with its formats erased.
template <class Real>
struct host_convolution {
  const convolution& c;

  void run_y(host_context& context, const host_target& y, const host_source& x, const host_source& w, const host_source& bias) const {
    const convolution_part part = part_of_y(c).joined();
    const host_patches<Real> from{x, part.from, c.groups, c.channels};
    in_chunks(context, x, from.image_numbers(), [&](std::int64_t first, std::int64_t count, const host_source& images) {
      part_product<Real> product{part, from, w, bias, y, c.features, first};
      product.from.x = images;
      product.run(context, count);
    });
  }

  /// The weights lie as [group, channel, feature, tap of the part], one part after the other: as many numbers as w has.
  void run_x(host_context& context, const host_target& x, const host_source& y, const host_source& w, const host_source& bias) const {
    const parts_of_x parts{c};
    const std::int64_t numbers = c.groups * c.features * c.channels * c.window_size();
    const workspace<Real> turned(context, numbers);
    turn(context, w, numbers, turned.data());
    in_chunks(context, y, c.groups * c.features * c.out_size(), [&](std::int64_t first, std::int64_t count, const host_source& images) {
      const Real* weights = turned.data();
      for (std::int64_t i = 0; i < parts.count(); ++i) {
        const convolution_part part = parts[i].joined();
        part_product<Real>{part, {images, part.from, c.groups, c.features}, numbers_at(weights), bias, x, c.channels, first}.run(context, count);
        weights += c.groups * c.channels * c.features * part.from.tap_count();
      }
    });
  }

  void run_w(host_context& context, const host_target& w, const host_source& y, const host_source& x) const {
    weight_product<Real>{{y, numbers_of_y(c), c.groups, c.features}, {x, part_of_y(c).joined().from, c.groups, c.channels}, w, c.batch, c.features}.run(context);
  }

 private:
  /// Calls run(first, count, images) for all images, those that must be converted some at a time.
  template <class Run> void in_chunks(host_context& context, const host_source& x, std::int64_t numbers, const Run& run) const {
    const bool direct = host_product<Real>::is_direct(x) || numbers > converted_image;
    const std::int64_t chunk = direct ? c.batch : image_chunks<Real>::chunk_of(numbers);
    image_chunks<Real> chunks(context, x, numbers, c.batch, chunk);
    for (std::int64_t first = 0; first < c.batch; first += chunk) {
      const std::int64_t count = (std::min)(chunk, c.batch - first);
      run(first, count, chunks(first, count));
    }
  }
  void turn(host_context& context, const host_source& w, std::int64_t numbers, Real* to) const {
    const bool direct = host_product<Real>::is_direct(w);
    const workspace<Real> copy(context, direct ? 0 : numbers);
    if (!direct) convert_numbers(context, w, 0, numbers, copy.data());
    const Real* const from = direct ? static_cast<const Real*>(w.data) : copy.data();
    const parts_of_x parts{c};
    const std::int64_t window = c.window_size();
    for (std::int64_t i = 0; i < parts.count(); ++i) {
      const convolution_part part = parts[i];
      const std::int64_t taps = part.from.tap_count();
      for_pieces(context, c.groups * c.channels, numbers > (1 << 16), [&](std::int64_t row, int) {
        const std::int64_t group = row / c.channels, channel = row % c.channels;
        Real* line = to + row * c.features * taps;
        for (std::int64_t m = 0; m < taps; ++m) {
          const Real* at = from + (group * c.features * c.channels + channel) * window + part.weight(m);
          for (std::int64_t f = 0; f < c.features; ++f) line[f * taps + m] = at[f * c.channels * window];
        }
      });
      to += c.groups * c.channels * c.features * taps;
    }
  }
};

template <>
struct convolution_kernels<host_device> {
  template <class Accumulate, class Y, class X, class ReadX, class W, class ReadW, class B, class ReadB>
  static void forward(host_context& context, const convolution& c, const target<Y>& y, const source<X, ReadX>& x, const source<W, ReadW>& w, const source<B, ReadB>& bias) {
    host_convolution<arithmetic_t<Accumulate, ReadX, ReadW>>{c}.run_y(context, y, x, w, bias);
  }
  template <class Accumulate, class X, class Y, class ReadY, class W, class ReadW, class B, class ReadB>
  static void backward_data(host_context& context, const convolution& c, const target<X>& x, const source<Y, ReadY>& y, const source<W, ReadW>& w, const source<B, ReadB>& bias) {
    host_convolution<arithmetic_t<Accumulate, ReadY, ReadW>>{c}.run_x(context, x, y, w, bias);
  }
  template <class Accumulate, class W, class Y, class ReadY, class X, class ReadX>
  static void backward_weights(host_context& context, const convolution& c, const target<W>& w, const source<Y, ReadY>& y, const source<X, ReadX>& x) {
    host_convolution<arithmetic_t<Accumulate, ReadY, ReadX>>{c}.run_w(context, w, y, x);
  }
};

}}}  // namespace amphora::detail
