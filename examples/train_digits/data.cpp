#include "data.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace {

/// Of 24 splits this one is the median by difficulty: a nearest neighbour gets 98.9 % of its test set right.
constexpr std::uint64_t split_seed = 1;

samples read_all(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", file));
  std::string text(static_cast<std::size_t>(in.tellg()), '\0');
  in.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));

  samples all;
  all.images.reserve(text.size() / 2), all.labels.reserve(text.size() / 130);
  const char *at = text.data(), *end = at + text.size();
  for (int line = 1; at != end; ++line)
    for (int column = 0; column <= pixels; ++column) {
      int value = -1;
      const auto [after, error] = std::from_chars(at, end, value);
      const bool last = column == pixels;
      if (error != std::errc() || value < 0 || value > (last ? classes - 1 : 16) || after == end || *after != (last ? '\n' : ','))
        throw std::runtime_error(fmt::format("{}, line {}: expected 64 numbers from 0 to 16 and a digit", file, line));
      if (last) all.labels.push_back(value);
      else all.images.push_back(static_cast<float>(value) / 16);
      at = after + 1;
    }
  return all;
}

void append(samples& to, const samples& from, std::size_t index) {
  const auto first = from.images.begin() + static_cast<std::ptrdiff_t>(index) * pixels;
  to.images.insert(to.images.end(), first, first + pixels);
  to.labels.push_back(from.labels[index]);
}

}  // namespace

digits read_digits(const std::string& file) {
  const samples all = read_all(file);
  digits result;
  for (int digit = 0; digit < classes; ++digit) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < all.labels.size(); ++i)
      if (all.labels[i] == digit) members.push_back(i);
    random_numbers(purpose::split, split_seed, static_cast<std::uint64_t>(digit)).shuffle(members);
    const auto tests = static_cast<std::size_t>(std::lround(0.2 * static_cast<double>(members.size())));
    for (std::size_t i = 0; i < members.size(); ++i) append(i < tests ? result.test : result.train, all, members[i]);
  }
  if (result.train.size() == 0 || result.test.size() == 0) throw std::runtime_error(fmt::format("{} holds too few digits", file));
  return result;
}
