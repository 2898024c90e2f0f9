// The digits: 8 × 8 images of handwriting, split into a set to train on and a set to test on.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

constexpr int pixels = 64, classes = 10;

struct samples {
  std::vector<float> images;         ///< [size, 64], multiples of 1/16 in [0, 1]: exact in every format used here
  std::vector<std::int64_t> labels;  ///< [size], 0 to 9
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

struct digits {
  samples train, test;  ///< 80 and 20 of a hundred, class by class
};

/// Reads lines of 64 numbers from 0 to 16 and a label. Throws std::runtime_error, which names the file and the line.
digits read_digits(const std::string& file);
