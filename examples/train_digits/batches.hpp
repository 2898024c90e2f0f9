// Samples in the format that a network reads, gathered into batches in a random order.
#pragma once
#include "data.hpp"
#include "random.hpp"

#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace amp = amphora;

/// Images in the format that a network reads, and batches of them on the device of a context.
template <class Image, class Context>
class batches {
 public:
  batches(Context& context, const samples& all) : context_(context), labels_(all.labels), order_(all.labels.size()) {
    for (float pixel : all.images) images_.push_back(static_cast<Image>(pixel));
    std::iota(order_.begin(), order_.end(), std::size_t(0));
  }
  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  void shuffle(const random_numbers& random) {
    std::iota(order_.begin(), order_.end(), std::size_t(0));
    random.shuffle(order_);
  }
  /// Gathers up to n samples from place first of the order on; images() and labels() then are of those.
  void gather(std::int64_t first, std::int64_t n) {
    n = std::min(n, size() - first);
    picked_images_.resize(static_cast<std::size_t>(n) * pixels), picked_labels_.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::size_t from = order_[static_cast<std::size_t>(first + i)];
      std::copy_n(&images_[from * pixels], pixels, &picked_images_[static_cast<std::size_t>(i) * pixels]);
      picked_labels_[static_cast<std::size_t>(i)] = labels_[from];
    }
    if (there_labels_.size() != n) there_images_ = {context_, {n, pixels}}, there_labels_ = {context_, {n}};
    amp::write(context_, picked_images_, there_images_), amp::write(context_, picked_labels_, there_labels_);
  }
  amp::view<const Image> images() const { return there_images_.view(); }
  amp::view<const std::int64_t> labels() const { return there_labels_.view(); }
  /// The labels of the batch on the host.
  const std::vector<std::int64_t>& host_labels() const { return picked_labels_; }

 private:
  Context& context_;
  std::vector<Image> images_, picked_images_;
  std::vector<std::int64_t> labels_, picked_labels_;
  std::vector<std::size_t> order_;
  amp::tensor<Image, Context> there_images_;
  amp::tensor<std::int64_t, Context> there_labels_;
};
