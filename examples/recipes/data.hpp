// What the larger recipes share: random numbers that PyTorch's run draws too, arrays where the context is, and the handwritten digits.
#pragma once
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

/// The generator of reference.py.
struct random_numbers {
  std::uint32_t state = 1;

  double next() {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * 0x1p-24;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() * static_cast<double>(n)); }
  std::vector<std::size_t> shuffled(std::size_t n) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
    return order;
  }
};

/// A tensor with these numbers in it.
template <class Context, class T>
amphora::tensor<T, Context> there(Context& context, const std::vector<T>& values, const amphora::shape& shape) {
  amphora::tensor<T, Context> result(context, shape);
  amphora::write(context, values, result);
  return result;
}
template <class Context>
amphora::tensor<float, Context> filled(Context& context, const amphora::shape& shape, float value) {
  return there(context, std::vector<float>(static_cast<std::size_t>(shape.elements()), value), shape);
}
/// Starts a parameter uniformly in ± 1 / √inputs.
template <class Context, class Parameter>
void draw(Context& context, random_numbers& random, int inputs, Parameter& parameter) {
  std::vector<float> start(static_cast<std::size_t>(parameter.size()));
  const double bound = std::sqrt(1 / static_cast<float>(inputs));
  for (float& number : start) number = static_cast<float>(bound * (2 * random.next() - 1));
  parameter.load(context, there(context, start, parameter.shape()));
}

/// 1,797 images of 8 × 8 pixels (../data).
struct digits {
  std::vector<float> images;
  std::vector<std::int64_t> labels;

  explicit digits(const char* path) {
    std::ifstream file(path);
    for (float number; file >> number; file.ignore()) {
      if (images.size() % 64 || images.size() / 64 == labels.size()) images.push_back(number / 16);
      else labels.push_back(static_cast<std::int64_t>(number));
    }
  }
  /// The rows order[first] to order[last].
  digits(const digits& all, const std::vector<std::size_t>& order, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto image = all.images.begin() + static_cast<std::ptrdiff_t>(64 * order[i]);
      images.insert(images.end(), image, image + 64), labels.push_back(all.labels[order[i]]);
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};
