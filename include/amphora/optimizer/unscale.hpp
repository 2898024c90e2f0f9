// Takes the scale out of gradients in one read-only pass: finite check and norm together.
#pragma once
#include <amphora/optimizer/gradients.hpp>   // gradient_list
#include <amphora/optimizer/kernels.hpp>     // step_kernels
#include <amphora/optimizer/sum_order.hpp>   // chunks_of
#include <amphora/scale/gradient_facts.hpp>  // gradient_facts, on_overflow
#include <amphora/scale/kernels.hpp>         // scale_kernels
#include <amphora/scale/unscaled.hpp>        // unscaled, require_scaled

#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t, remove_reference_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The facts of gradients that nobody looked at yet. Runs on the device.
struct start_facts {
  gradient_facts* facts;
  const float* inverse;
  on_overflow choice;
  std::uint32_t present;

  AMPHORA_HD void operator()() const {
    *facts = gradient_facts();
    facts->inverse = inverse ? *inverse : 1.0f, facts->choice = choice, facts->present = present;
  }
};

inline std::int64_t chunks_of(const gradient_list& list) {
  std::int64_t chunks = 0;
  for (const gradient_view& entry : list) chunks += entry.data ? chunks_of(entry.n) : 0;
  return chunks;
}
inline void require_gradient_formats(const gradient_list& list, const char* call) {
  for (const gradient_view& entry : list)
    if (entry.data && entry.format != format_id::f16 && entry.format != format_id::bf16 && entry.format != format_id::f32)
      fail("unknown-format", call, ": a gradient is ", name_of(entry.format), "; gradients are f16, bf16 or f32");
}

/// Memory of a context for the length of a call; given back in stream order.
template <class Context>
class chunk_sums {
 public:
  chunk_sums(Context& context, std::int64_t chunks)
      : context_(context), bytes_(static_cast<std::size_t>(chunks < 1 ? 1 : chunks) * sizeof(double)), data_(static_cast<double*>(context.allocate(bytes_))) {}
  chunk_sums(const chunk_sums&) = delete;
  chunk_sums& operator=(const chunk_sums&) = delete;
  ~chunk_sums() { context_.release(data_, bytes_); }
  double* data() const { return data_; }

 private:
  Context& context_;
  std::size_t bytes_;
  double* data_;
};

template <class T> T impossible();  // after a failed rule; never called

template <class Gradients> struct scaled_content { using type = Gradients; };
template <class Gradients> struct scaled_content<scaled<Gradients>> { using type = Gradients; };

}  // namespace detail

/// Takes the scale out: reads each gradient once, for the finite check and the norm, and writes none of them.
///
/// gradients  scaled(gradients, ticket) by move; without a scaler scaled(gradients, ticket{}), whose scale is one
/// choice     what a step does where one is not finite
/// Value      the stored values with the factor that makes them true, on the device; what clipping, norms and steps take
/// Errors     used-twice, stale-ticket, unknown-format, and the handle stays as it was; scaled-gradient at compile time.
///            Does not synchronise
/// Cost       the gradients' bytes, once
template <class Context, class Scaled>
auto unscale(Context& context, Scaled&& gradients, on_overflow choice = on_overflow::skip) {
  using device = typename Context::device;
  using content = typename detail::scaled_content<std::remove_cv_t<std::remove_reference_t<Scaled>>>::type;
  if constexpr (require_scaled<Scaled&&>()) {
    const gradient_list list(gradients.peek("unscale"));
    detail::require_gradient_formats(list, "unscale");
    std::uint32_t present = 0;
    for (const gradient_view& entry : list) present |= entry.data != nullptr;
    auto parts = std::move(gradients).take("unscale");
    auto* facts = static_cast<gradient_facts*>(context.allocate(sizeof(gradient_facts)));
    const float* inverse = parts.used.inverse();
    unscaled<content, Context> result(context, static_cast<content&&>(parts.gradients), std::move(parts.used), facts);
    const gradient_list stored(result.gradients());
    const detail::chunk_sums<Context> sums(context, detail::chunks_of(stored));
    scale_kernels<device>::run(context, detail::start_facts{facts, inverse, choice, present});
    step_kernels<device>::check(context, stored.begin(), stored.size(), sums.data(), facts);
    return result;
  } else {
    using plain = std::remove_cv_t<std::remove_reference_t<Scaled>>;  // what the caller's next line expects
    return detail::impossible<std::conditional_t<is_unscaled_v<plain>, plain, unscaled<content, Context>>>();
  }
}

}}  // namespace amphora
