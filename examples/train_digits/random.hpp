// Random numbers that are a function of what they are for: there is no state to save and no order to keep.
#pragma once
#include <cstdint>

/// What a number is drawn for. Two purposes share no numbers.
enum class purpose : std::uint64_t { split, weights, order };

/// The numbers of one purpose, seed and part (an epoch, a layer, a class).
class random_numbers {
 public:
  random_numbers(purpose what, std::uint64_t seed, std::uint64_t part)
      : key_(mixed(mixed(mixed(static_cast<std::uint64_t>(what)) + seed) + part)) {}

  /// 64 random bits for an index.
  std::uint64_t bits(std::uint64_t index) const { return mixed(key_ + mixed(index)); }
  /// Uniform in [0, 1), a multiple of 2^-24.
  float uniform(std::uint64_t index) const { return static_cast<float>(bits(index) >> 40) * 0x1p-24f; }
  /// Uniform in [0, n), for n far below 2^32.
  std::uint64_t below(std::uint64_t n, std::uint64_t index) const { return (bits(index) >> 32) * n >> 32; }
  /// Puts values in a random order (Fisher and Yates).
  template <class Values> void shuffle(Values& values) const {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i, i)]);
  }

 private:
  /// The output function of SplitMix64 (Steele, Lea, Flood 2014), one step on.
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  std::uint64_t key_;
};
