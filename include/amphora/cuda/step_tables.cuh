// What the CUDA device keeps of a list of gradients or parameters: tables of pointers, and the list cut into chunks.
#pragma once
#include <amphora/cuda/access.cuh>             // load
#include <amphora/cuda/context.cuh>            // cuda_context
#include <amphora/cuda/launch.cuh>             // launch, grid_for
#include <amphora/cuda/scale.cuh>              // scale_kernels
#include <amphora/detail/bit_cast.hpp>         // bit_cast
#include <amphora/optimizer/kernels.hpp>       // step_tables
#include <amphora/optimizer/sum_order.hpp>     // chunks_of, step_chunk
#include <amphora/tensor/tensor.hpp>           // tensor

#include <algorithm>    // any_of, equal
#include <cstddef>      // size_t
#include <cstdint>      // int32_t, int64_t, uint64_t
#include <type_traits>  // conditional_t
#include <utility>      // exchange, move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A struct of a table, in words as large as its alignment has it.
template <class T>
__device__ inline T load_entry(const T* p) {
  using word = std::conditional_t<alignof(T) % 8 == 0, unsigned long long, std::conditional_t<alignof(T) % 4 == 0, unsigned, unsigned char>>;
  struct words { word at[sizeof(T) / sizeof(word)]; } all;
#pragma unroll
  for (int k = 0; k < static_cast<int>(sizeof(T) / sizeof(word)); ++k) all.at[k] = load(reinterpret_cast<const word*>(p) + k);
  return bit_cast<T>(all);
}

/// One chunk: elements from … from + n - 1 of a tensor.
struct alignas(16) step_piece {
  std::int64_t from;
  std::int32_t tensor, n;
};

/// A list of gradients in chunks, as kernels walk over it.
struct step_pieces {
  const gradient_view* gradients = nullptr;  ///< [tensors], device
  const step_piece* table = nullptr;         ///< [chunks], device
  std::int64_t chunks = 0;

  __device__ step_piece piece(std::int64_t k) const {
    const uint4 words = load(reinterpret_cast<const uint4*>(table + k));
    return {static_cast<std::int64_t>(std::uint64_t(words.y) << 32 | words.x), static_cast<std::int32_t>(words.z), static_cast<std::int32_t>(words.w)};
  }
  __device__ gradient_view gradient(std::int32_t tensor) const { return load_entry(gradients + tensor); }
};

/// The same, or one gradient by value, which needs no tables.
struct given_pieces : step_pieces {
  gradient_view single;

  given_pieces() = default;
  given_pieces(const step_pieces& list) : step_pieces(list) {}
  explicit given_pieces(const gradient_view& one) : single(one) { chunks = one.data ? chunks_of(one.n) : 0; }

  __device__ step_piece piece(std::int64_t k) const {
    if (table) return step_pieces::piece(k);
    const std::int64_t left = single.n - k * step_chunk;
    return {k * step_chunk, 0, static_cast<std::int32_t>(left < step_chunk ? left : step_chunk)};
  }
  __device__ gradient_view gradient(std::int32_t tensor) const { return table ? step_pieces::gradient(tensor) : single; }
};

/// first  [tensors + 1]: the number of a tensor's first chunk; of all chunks at the end
template <class Build = this_build>
AMPHORA_KERNEL void cut_pieces(const gradient_view* gradients, const std::int64_t* first, std::int64_t tensors, step_piece* table) {
  const std::int64_t chunks = load(reinterpret_cast<const long long*>(first) + tensors);
  for (std::int64_t k = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; k < chunks; k += std::int64_t(gridDim.x) * blockDim.x) {
    std::int64_t low = 0, high = tensors;  // the last tensor whose first chunk is not behind k
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (load(reinterpret_cast<const long long*>(first) + middle) <= k ? low : high) = middle;
    }
    const std::int64_t from = (k - load(reinterpret_cast<const long long*>(first) + low)) * step_chunk, left = load_entry(gradients + low).n - from;
    const std::uint64_t bits = static_cast<std::uint64_t>(from);
    store(reinterpret_cast<uint4*>(table + k), uint4{static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32), static_cast<unsigned>(low), static_cast<unsigned>(left < step_chunk ? left : step_chunk)});
  }
}

/// What an array takes of a context's memory.
constexpr std::int64_t taken_of(std::int64_t bytes) { return bytes < 512 ? 512 : (bytes + 511) / 512 * 512; }

/// The tables of one list of gradients in device memory. Sent in stream order, without a wait.
class gradient_table {
 public:
  gradient_table(cuda_context& context, std::int64_t count, std::int64_t most_chunks)
      : gradients_(context, {count}), first_(context, {count + 1}), pieces_(context, {most_chunks}) {}
  static constexpr std::int64_t bytes(std::int64_t count, std::int64_t most_chunks) {
    return taken_of(count * std::int64_t(sizeof(gradient_view))) + taken_of((count + 1) * std::int64_t(sizeof(std::int64_t))) + taken_of(most_chunks * std::int64_t(sizeof(step_piece)));
  }

  bool fits(std::int64_t count, std::int64_t chunks) const { return gradients_.size() == count && pieces_.size() >= chunks; }
  /// Sends what is another than before. Pieces are cut anew only where the sizes of those that are there changed.
  template <class Build = this_build> void send(cuda_context& context, const gradient_view* entries) {
    const std::int64_t count = gradients_.size();
    scale_kernels<cuda_device>::write(context, entries, gradients_.data(), static_cast<std::size_t>(count) * sizeof(gradient_view));
    std::vector<std::int64_t> first(1, 0);
    for (std::int64_t k = 0; k < count; ++k) first.push_back(first.back() + (entries[k].data ? chunks_of(entries[k].n) : 0));
    chunks_ = first.back(), present_ = std::any_of(entries, entries + count, [](const gradient_view& entry) { return entry.data != nullptr; });
    if (first == sizes_ && std::equal(ends_.begin(), ends_.end(), entries, [](std::int64_t n, const gradient_view& entry) { return n == entry.n || !entry.data; })) return;
    sizes_ = std::move(first), ends_.clear();
    for (std::int64_t k = 0; k < count; ++k) ends_.push_back(entries[k].n);
    scale_kernels<cuda_device>::write(context, sizes_.data(), first_.data(), sizes_.size() * sizeof(std::int64_t));
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

/// What the blocks of a step tell each other. Zero between steps.
struct step_control {
  unsigned long long non_finite;
  unsigned arrived;
  double norm, largest;  ///< of clipping by another norm than the Euclidean
};

/// The tables of an optimizer's list. What a capture has used stays as it is, since replays read it.
template <>
struct step_tables<cuda_context> {
  step_tables(cuda_context& context, const std::vector<parameter_view>& parameters)
      : most_chunks_(chunks(parameters)), tensors_(context, {count(parameters)}), gradients_(context, count(parameters), most_chunks_), control_(context, {1}) {
    const step_control zero = {};
    scale_kernels<cuda_device>::write(context, &zero, control_.data(), sizeof zero);
  }
  static std::int64_t bytes(const std::vector<parameter_view>& parameters) {
    return taken(count(parameters) * std::int64_t(sizeof(step_tensor))) + gradient_table::bytes(count(parameters), chunks(parameters)) + taken(sizeof(step_control));
  }
  static constexpr std::int64_t taken(std::int64_t bytes) { return taken_of(bytes); }

  /// Errors  capture  the list changed, and the stream is being captured
  template <class Rule, class Schedule>
  void refresh(cuda_context& context, const step_job<Rule, Schedule>& job) {
    const bool tensors = job.parameter_changes != sent_parameters_, gradients = tensors || job.gradient_changes != sent_gradients_, capturing = context.is_capturing();
    if (gradients) {
      if (capturing)
        fail("capture", "step: the list of parameters or gradients is another than in the last step, and a capture cannot send it to the device; run one step with these gradients before the capture begins");
      if (std::exchange(in_capture_, false)) keep_for_replays(context);
      const std::int64_t count = job.decision.count;
      if (tensors || resend_) scale_kernels<cuda_device>::write(context, job.decision.tensors, tensors_.data(), static_cast<std::size_t>(count) * sizeof(step_tensor));
      gradients_.send(context, job.decision.gradients);
      sent_parameters_ = job.parameter_changes, sent_gradients_ = job.gradient_changes, resend_ = false;
    }
    in_capture_ = in_capture_ || capturing;
  }
  const step_tensor* tensors() const { return tensors_.data(); }
  const gradient_table& gradients() const { return gradients_; }
  step_control* control() { return control_.data(); }

 private:
  static std::int64_t count(const std::vector<parameter_view>& parameters) { return static_cast<std::int64_t>(parameters.size()); }
  static std::int64_t chunks(const std::vector<parameter_view>& parameters) {
    std::int64_t result = 0;
    for (const parameter_view& p : parameters) result += chunks_of(p.n);
    return result;
  }
  void keep_for_replays(cuda_context& context) {
    const std::int64_t count = tensors_.size();
    kept_tensors_.push_back(std::exchange(tensors_, tensor<step_tensor, cuda_context>(context, {count})));
    kept_gradients_.push_back(std::exchange(gradients_, gradient_table(context, count, most_chunks_)));
    resend_ = true;
  }

  std::int64_t most_chunks_;
  tensor<step_tensor, cuda_context> tensors_;
  gradient_table gradients_;
  tensor<step_control, cuda_context> control_;
  std::vector<tensor<step_tensor, cuda_context>> kept_tensors_;
  std::vector<gradient_table> kept_gradients_;
  std::int64_t sent_parameters_ = -1, sent_gradients_ = -1;
  bool in_capture_ = false, resend_ = false;
};

/// Tables of the lists that calls outside an optimizer were given lately (unscale, norms, clipping), by their contents. One of
/// these lies in each context.
class gradient_tables {
 public:
  static constexpr std::size_t most = 8;  ///< lists, beside those that captures have used

  /// Errors  capture  the list is a new one, and the stream is being captured
  template <class Build = this_build> given_pieces find(cuda_context& context, const gradient_view* entries, std::int64_t count, const char* call) {
    if (count == 0) return {};
    if (count == 1) return given_pieces(entries[0]);
    const bool capturing = context.is_capturing();
    for (list& known : lists_)
      if (known.is(entries, count)) return known.used = ++now_, known.in_capture = known.in_capture || capturing, given_pieces(known.table.pieces());
    if (capturing)
      fail("capture", call, ": this list of gradients is a new one, and a capture cannot send it to the device; call it once with these gradients before the capture begins");
    std::int64_t chunks = 0;
    for (std::int64_t k = 0; k < count; ++k) chunks += entries[k].data ? chunks_of(entries[k].n) : 0;
    list& place = oldest(context, count, chunks);
    place.entries.assign(entries, entries + count), place.used = ++now_;
    place.table.send(context, entries);
    return place.table.pieces();
  }

 private:
  struct list {
    gradient_table table;
    std::vector<gradient_view> entries;
    std::uint64_t used;
    bool in_capture;

    bool is(const gradient_view* given, std::int64_t count) const {
      return static_cast<std::int64_t>(entries.size()) == count &&
             std::equal(entries.begin(), entries.end(), given, [](const gradient_view& a, const gradient_view& b) { return a.data == b.data && a.format == b.format && a.n == b.n; });
    }
  };
  list& oldest(cuda_context& context, std::int64_t count, std::int64_t chunks) {
    std::size_t own = 0;
    list* old = nullptr;
    for (list& one : lists_)
      if (!one.in_capture) {
        ++own;
        if (!old || one.used < old->used) old = &one;
      }
    if (own < most) return lists_.push_back({gradient_table(context, count, chunks), {}, 0, false}), lists_.back();
    if (!old->table.fits(count, chunks)) old->table = gradient_table(context, count, chunks);
    return *old;
  }

  std::vector<list> lists_;
  std::uint64_t now_ = 0;
};

}}}  // namespace amphora::detail
