// The CUDA device's tables of lists of gradients that calls outside an optimizer were given lately.
#pragma once
#include <amphora/cuda/context.cuh>         // cuda_context
#include <amphora/cuda/gradient_table.cuh>  // gradient_table
#include <amphora/cuda/step_pieces.cuh>     // given_pieces
#include <amphora/detail/config.hpp>        // this_build
#include <amphora/error.hpp>                // fail
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/sum_order.hpp>  // chunks_of

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Tables of the lists that calls outside an optimizer were given lately (unscale, norms, clipping), by their contents. One of
/// these lies in each context.
template <class Build = this_build>
class gradient_tables {
 public:
  static constexpr std::size_t most = 8;  ///< lists, beside those that captures have used

  /// Errors  capture  the list is a new one, and the stream is being captured
  given_pieces find(cuda_context& context, const gradient_view* entries, std::int64_t count, const char* call) {
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
    gradient_table<Build> table;
    std::vector<gradient_view> entries;
    std::uint64_t used;
    bool in_capture;

    bool is(const gradient_view* given, std::int64_t count) const {
      if (static_cast<std::int64_t>(entries.size()) != count) return false;
      for (const gradient_view& entry : entries) {
        const gradient_view& other = *given++;
        if (entry.data != other.data || entry.format != other.format || entry.n != other.n) return false;
      }
      return true;
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
    if (own < most) return lists_.push_back({gradient_table<Build>(context, count, chunks), {}, 0, false}), lists_.back();
    if (!old->table.fits(count, chunks)) old->table = gradient_table<Build>(context, count, chunks);
    return *old;
  }

  std::vector<list> lists_;
  std::uint64_t now_ = 0;
};

}}}  // namespace amphora::detail
