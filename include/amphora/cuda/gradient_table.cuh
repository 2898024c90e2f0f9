// One list of gradients in the CUDA device's memory: its pointers, and the list cut into chunks.
#pragma once
#include <amphora/cuda/context.cuh>         // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>          // launch, grid_for, block_threads
#include <amphora/cuda/scale.cuh>           // scale_kernels
#include <amphora/cuda/step_pieces.cuh>     // step_piece, step_pieces, cut_pieces
#include <amphora/detail/config.hpp>        // this_build
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/sum_order.hpp>  // chunks_of
#include <amphora/tensor/tensor.hpp>        // tensor

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // move
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What an array takes of a context's memory.
constexpr std::int64_t taken_of(std::int64_t bytes) { return bytes < 512 ? 512 : (bytes + 511) / 512 * 512; }

/// The tables of one list of gradients in device memory. Sent in stream order, without a wait.
///
/// Build  as of a function (detail/config.hpp); and what is a template costs nothing where nobody uses it
template <class Build = this_build>
class gradient_table {
 public:
  gradient_table(cuda_context& context, std::int64_t count, std::int64_t most_chunks)
      : gradients_(context, {count}), first_(context, {count + 1}), pieces_(context, {most_chunks}) {}
  static constexpr std::int64_t bytes(std::int64_t count, std::int64_t most_chunks) {
    return taken_of(count * std::int64_t(sizeof(gradient_view))) + taken_of((count + 1) * std::int64_t(sizeof(std::int64_t))) + taken_of(most_chunks * std::int64_t(sizeof(step_piece)));
  }

  bool fits(std::int64_t count, std::int64_t chunks) const { return gradients_.size() == count && pieces_.size() >= chunks; }
  /// Sends what is another than before. Pieces are cut anew only where the sizes of those that are there changed.
  void send(cuda_context& context, const gradient_view* entries) {
    const std::int64_t count = gradients_.size();
    scale_kernels<cuda_device>::write<Build>(context, entries, gradients_.data(), static_cast<std::size_t>(count) * sizeof(gradient_view));
    std::vector<std::int64_t> first(1, 0);
    bool same = sizes_.size() == static_cast<std::size_t>(count) + 1;
    present_ = false;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const bool present = entries[k].data != nullptr;
      first.push_back(first.back() + (present ? chunks_of(entries[k].n) : 0));
      same = same && first.back() == sizes_[at + 1] && (!present || entries[k].n == ends_[at]);
      present_ = present_ || present;
    }
    chunks_ = first.back();
    if (same) return;
    sizes_ = std::move(first), ends_.clear();
    for (std::int64_t k = 0; k < count; ++k) ends_.push_back(entries[k].n);
    scale_kernels<cuda_device>::write<Build>(context, sizes_.data(), first_.data(), sizes_.size() * sizeof(std::int64_t));
    if (chunks_ > 0)
      launch(context, "cut_pieces", grid_for(context, (chunks_ + block_threads - 1) / block_threads), block_threads, cut_pieces<Build>, gradients_.data(), first_.data(), count, pieces_.data());
  }
  step_pieces pieces() const { return {gradients_.data(), pieces_.data(), chunks_}; }
  const std::int64_t* first_chunks() const { return first_.data(); }
  bool present() const { return present_; }

 private:
  tensor<gradient_view, cuda_context> gradients_;
  tensor<std::int64_t, cuda_context> first_;
  tensor<step_piece, cuda_context> pieces_;
  std::vector<std::int64_t> sizes_, ends_;
  std::int64_t chunks_ = 0;
  bool present_ = false;
};

}}}  // namespace amphora::detail
