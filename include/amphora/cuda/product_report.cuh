// Which products miss the tensor cores, on request, and products padded for them, on request.
#pragma once
#include <amphora/cuda/context.cuh>      // cuda_context
#include <amphora/detail/text.hpp>       // text
#include <amphora/format/format_id.hpp>  // format_id, size_of
#include <amphora/ops/product.hpp>       // product

#include <cstdint>  // int64_t, uintptr_t

namespace amphora { inline namespace AMPHORA_ABI {

/// A product whose lines do not begin at multiples of 16 bytes, so that the tensor cores run it at a fraction of their speed, or not at all.
///
/// c [m, n] = a [m, k] · b [k, n], `batches` of them
struct product_facts {
  std::int64_t m, n, k, batches;
  format_id operands, result;
  int multiple;          ///< what a size must be a multiple of: 8 for 16 bits, 4 for tf32
  bool m_misses, n_misses, k_misses;  ///< that size is none, and is the length of lines of an operand or of the result
  bool pointer_misses;   ///< an operand or the result begins at no multiple of 16 bytes
  bool padded;           ///< run on padded copies, see pad_products
  const char* message;   ///< all of that and what to do, in a sentence; valid during the report
};
using product_report = void (*)(const product_facts&, void* user);

namespace detail {

struct product_wishes {
  product_report report = nullptr;
  void* user = nullptr;
  bool pads = false;
};

/// What a product misses. Formats as they are multiplied; the pointers as cuBLAS gets them.
///
/// Source  cuBLAS, "Tensor Core Usage": sizes, leading dimensions and pointers that are multiples of 16 bytes
inline product_facts facts_of(const product& p, format_id operands, bool is_tf32, format_id result, const void* a, const void* b, const void* c) {
  product_facts f{p.m, p.n, p.k, p.kept.count() * p.summed.count(), operands, result, is_tf32 ? 4 : 8, false, false, false, false, false, ""};
  if (size_of(operands) != 2 && !is_tf32) return f;  // plain floats and doubles are multiplied elsewhere
  const auto misses = [&](std::int64_t size) { return size % f.multiple != 0; };
  f.k_misses = misses(p.k) && (!p.a_transposed || p.b_transposed);
  f.m_misses = misses(p.m) && p.a_transposed;
  f.n_misses = p.n * size_of(result) % 16 != 0 || (misses(p.n) && !p.b_transposed);
  for (const void* pointer : {a, b, c}) f.pointer_misses = f.pointer_misses || reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0;
  return f;
}
inline bool misses(const product_facts& f) { return f.m_misses || f.n_misses || f.k_misses || f.pointer_misses; }

inline void report_product(const product_wishes& wishes, product_facts f) {
  text message("a product of a [", f.m, ", ", f.k, "] · b [", f.k, ", ", f.n, "] in ", name_of(f.operands), " to ", name_of(f.result), f.padded ? " is padded" : " misses the tensor cores' 16 bytes", "; make");
  const char* between = " ";
  const auto say = [&](bool missed, const char* name) {
    if (missed) message.append(between), message.append(name), between = ", ";
  };
  say(f.m_misses, "m"), say(f.n_misses, "n"), say(f.k_misses, "k");
  if (f.m_misses || f.n_misses || f.k_misses) message.append(" a multiple of "), message.append(f.multiple);
  if (f.pointer_misses) message.append(f.m_misses || f.n_misses || f.k_misses ? ", and" : ""), message.append(" each pointer a multiple of 16 bytes");
  f.message = message.c_str();
  wishes.report(f, wishes.user);
}

}  // namespace detail

/// From now on, report(facts, user) is called on the host for each product of the context that misses the tensor cores; null: no more.
inline void report_products(cuda_context& context, product_report report, void* user = nullptr) {
  auto& wishes = context.cache<detail::product_wishes>();
  wishes.report = report, wishes.user = user;
}

/// From now on, products in 16 bits that miss the tensor cores run on copies padded with zeros to multiples of 8. The values are the same
/// (zeros add nothing); operands and result are written and read once more each, in memory of the context's.
inline void pad_products(cuda_context& context, bool pads = true) { context.cache<detail::product_wishes>().pads = pads; }

}}  // namespace amphora
