// The patches of images on the host: rows of numbers that a window touches, gathered from memory of any format.
#pragma once
#include <amphora/format/format_id.hpp>  // size_of
#include <amphora/host/context.hpp>      // host_context
#include <amphora/host/matmul.hpp>       // host_product
#include <amphora/host/parallel.hpp>     // for_pieces, workspace
#include <amphora/host/run.hpp>          // host_source, load_run
#include <amphora/ops/operand.hpp>       // source
#include <amphora/ops/patches.hpp>       // patches

#include <algorithm>    // max, min
#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Operands that are no floats as they lie are converted so many numbers at a time, in whole images and at least one of them; an image of more
/// than the second number is read where it is. They fix the order of sums over images, so they are no tuning.
inline constexpr std::int64_t converted_numbers = 1 << 20, converted_image = 1 << 24;

template <class Real>
host_source numbers_at(const Real* data) { return host_source(source<std::conditional_t<std::is_same_v<Real, double>, f64, f32>>{data}); }

/// n numbers from place `first` on, as the op reads them.
template <class Real>
void convert_numbers(host_context& context, const host_source& x, std::int64_t first, std::int64_t n, Real* to) {
  constexpr std::int64_t part = 1 << 15;
  for_pieces(context, (n + part - 1) / part, n > 4 * part, [&](std::int64_t i, int) { load_run(x, first + i * part, (std::min)(part, n - i * part), to + i * part); });
}

/// Images [n, group · channels + …, image] and the window over them.
template <class Real>
struct host_patches {
  host_source x;
  patches p;
  std::int64_t groups, channels;

  std::int64_t rows() const { return channels * p.tap_count(); }
  std::int64_t image_numbers() const { return groups * channels * p.image_size(); }

  /// to [rows, columns]: rows [row, …) of (channel, tap), columns [place, …) of (image, place).
  void gather(std::int64_t group, std::int64_t row, std::int64_t rows, std::int64_t place, std::int64_t columns, Real* to) const {
    const std::int64_t all = p.place_count(), image = place / all, line = place % all / p.places[2];
    const std::int64_t t0 = line / p.places[1], t1 = line % p.places[1], t2 = place % p.places[2];
    for (std::int64_t r = row; r < row + rows; ++r, to += columns) {
      const std::int64_t m2 = r % p.taps[2], m1 = r / p.taps[2] % p.taps[1], m0 = r / p.taps[2] / p.taps[1] % p.taps[0], channel = r / p.tap_count();
      gather_row((image * groups + group) * channels + channel, t0, t1, t2, p.offset(0, m0), p.offset(1, m1), p.offset(2, m2), columns, to);
    }
  }

 private:
  /// plane  number of the channel among those of all images
  void gather_row(std::int64_t plane, std::int64_t t0, std::int64_t t1, std::int64_t t2, std::int64_t at0, std::int64_t at1, std::int64_t at2, std::int64_t columns, Real* to) const {
    const std::int64_t step = p.step[2], size = p.image[2];
    const std::int64_t low = at2 >= 0 ? 0 : (step - 1 - at2) / step, high = at2 >= size ? 0 : (size - at2 + step - 1) / step;  // places within the line
    while (columns > 0) {
      const std::int64_t run = (std::min)(p.places[2] - t2, columns), i0 = t0 * p.step[0] + at0, i1 = t1 * p.step[1] + at1;
      std::int64_t from = (std::max)(low - t2, std::int64_t(0)), past = (std::min)(high - t2, run);
      if (i0 < 0 || i0 >= p.image[0] || i1 < 0 || i1 >= p.image[1] || from >= past) from = past = run;
      for (std::int64_t j = 0; j < from; ++j) to[j] = 0;
      if (from < past) read(((plane * p.image[0] + i0) * p.image[1] + i1) * size + (t2 + from) * step + at2, past - from, to + from);
      for (std::int64_t j = past; j < run; ++j) to[j] = 0;
      to += run, columns -= run, t2 = 0;
      if (++t1 == p.places[1]) t1 = 0, ++t0;
      if (t0 == p.places[0]) t0 = 0, plane += groups * channels;
    }
  }
  void read(std::int64_t i, std::int64_t n, Real* to) const {
    const std::int64_t step = p.step[2];
    if (!host_product<Real>::is_direct(x)) return load_run(x, i, n, step, to);
    const Real* from = static_cast<const Real*>(x.data) + i;
    if (step == 1) for (std::int64_t j = 0; j < n; ++j) to[j] = from[j];
    else for (std::int64_t j = 0; j < n; ++j) to[j] = from[j * step];
  }
};

/// Images whose numbers are floats, some at a time.
template <class Real>
class image_chunks {
 public:
  image_chunks(host_context& context, const host_source& x, std::int64_t numbers, std::int64_t images, std::int64_t chunk)
      : context_(context), x_(x), numbers_(numbers), converts_(!host_product<Real>::is_direct(x) && numbers <= converted_image), copy_(context, converts_ ? numbers * (std::min)(images, chunk) : 0) {}
  /// Images [first, first + count) as an array of their own.
  host_source operator()(std::int64_t first, std::int64_t count) {
    if (converts_) {
      convert_numbers(context_, x_, first * numbers_, count * numbers_, copy_.data());
      return numbers_at<Real>(copy_.data());
    }
    host_source here = x_;
    here.data = static_cast<const char*>(x_.data) + first * numbers_ * size_of(x_.given);
    return here;
  }
  static std::int64_t chunk_of(std::int64_t numbers) { return (std::max)(converted_numbers / (std::max)(numbers, std::int64_t(1)), std::int64_t(1)); }

 private:
  host_context& context_;
  host_source x_;
  std::int64_t numbers_;
  bool converts_;
  workspace<Real> copy_;
};

}}}  // namespace amphora::detail
