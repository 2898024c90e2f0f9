#include <amphora/host/patches.hpp>

#include <amphora/format/convert.hpp>
#include <ops/gradient_check.hpp>

#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

/// Number [row, column] of the patches of a group, by the definition.
double patch(const patches& p, const std::vector<double>& images, std::int64_t groups, std::int64_t channels, std::int64_t group, std::int64_t row, std::int64_t column) {
  const std::int64_t image = column / p.place_count(), place = column % p.place_count(), channel = row / p.tap_count(), tap = row % p.tap_count();
  const std::int64_t t[3] = {place / p.places[2] / p.places[1], place / p.places[2] % p.places[1], place % p.places[2]};
  const std::int64_t m[3] = {tap / p.taps[2] / p.taps[1], tap / p.taps[2] % p.taps[1], tap % p.taps[2]};
  std::int64_t at = (image * groups + group) * channels + channel;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t here = t[i] * p.step[i] + p.first[i] + m[i] * p.advance[i];
    if (here < 0 || here >= p.image[i]) return 0;
    at = at * p.image[i] + here;
  }
  return images[static_cast<std::size_t>(at)];
}

template <class T, class Real> void every_part_is_right(const patches& p) {
  constexpr std::int64_t groups = 2, channels = 3, count = 3;
  amp::host_context c;
  const auto images = check::random<T>(c, {count, groups * channels, p.image_size()}, 1);
  const auto numbers = [&] {
    std::vector<double> result;
    for (const T& number : amp::wait_read(c, images)) result.push_back(static_cast<double>(number));
    return result;
  }();
  const host_patches<Real> from{host_source(read(images.view())), p, groups, channels};
  CHECK((from.rows() == channels * p.tap_count() && from.image_numbers() == groups * channels * p.image_size()));
  const std::int64_t columns = count * p.place_count();
  int wrong = 0;
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t row : {std::int64_t(0), p.tap_count() + 1})
      for (std::int64_t column = 0; column < columns; column += 3)
        for (std::int64_t wide : {std::int64_t(1), columns - column}) {
          const std::int64_t rows = from.rows() - row;
          std::vector<Real> got(static_cast<std::size_t>(rows * wide), Real(77));
          from.gather(group, row, rows, column, wide, got.data());
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t j = 0; j < wide; ++j) wrong += static_cast<double>(got[static_cast<std::size_t>(r * wide + j)]) != patch(p, numbers, groups, channels, group, row + r, column + j);
        }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("any rows and columns of patches can be gathered, across lines and images", T, float, amp::float16, double) {
  using real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  //                            image      places     taps       step       first        advance
  every_part_is_right<T, real>({{1, 4, 5}, {1, 4, 5}, {1, 3, 3}, {1, 1, 1}, {0, -1, -1}, {1, 1, 1}});
  every_part_is_right<T, real>({{2, 5, 7}, {2, 2, 3}, {1, 2, 2}, {1, 3, 2}, {0, 0, -2}, {1, 2, 5}});
  every_part_is_right<T, real>({{3, 2, 4}, {3, 3, 6}, {2, 1, 3}, {1, 1, 1}, {1, 0, 1}, {-1, 1, -2}});  // backwards, as the gradient of an input has it
  every_part_is_right<T, real>({{1, 1, 3}, {1, 2, 9}, {1, 1, 2}, {1, 5, 4}, {0, 0, -20}, {1, 1, 31}});  // mostly outside
}

TEST_CASE("images are handed out as floats, some at a time, or where they lie") {
  amp::host_context c;
  const auto low = check::random<amp::bfloat16>(c, {5, 6}, 1);
  const auto high = check::random<float>(c, {5, 6}, 2);
  image_chunks<float> converted(c, host_source(read(low.view())), 6, 5, 2), direct(c, host_source(read(high.view())), 6, 5, 2);
  for (std::int64_t first : {0, 2, 4}) {
    const host_source here = converted(first, first == 4 ? 1 : 2);
    CHECK(host_product<float>::is_direct(here));
    CHECK(static_cast<const float*>(here.data)[5] == static_cast<float>(low.data()[first * 6 + 5]));
    CHECK(direct(first, 1).data == high.data() + first * 6);
  }
  CHECK(image_chunks<float>::chunk_of(converted_numbers / 3) == 3);
  CHECK(image_chunks<float>::chunk_of(converted_numbers * 2) == 1);
}
