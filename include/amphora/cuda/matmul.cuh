// Matrix products on CUDA: cuBLAS and cuBLASLt, with a short kernel before or after where they do not say what is asked.
#pragma once
#include <amphora/cuda/context.cuh>          // cuda_context, cuda_device
#include <amphora/cuda/cublas.cuh>           // cublas_types, cublas_state, cublas_modes
#include <amphora/cuda/product_fused.cuh>    // run_fused
#include <amphora/cuda/product_kernels.cuh>  // cast_operand, pad_operand, end_product
#include <amphora/cuda/product_plan.cuh>     // for_each_gemm, is_dense, span
#include <amphora/cuda/product_report.cuh>   // product_wishes, facts_of
#include <amphora/ops/kernels.hpp>           // matmul_kernels
#include <amphora/ops/operand.hpp>           // source, target
#include <amphora/ops/product.hpp>           // product

#include <cstddef>      // size_t
#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Memory of a context for as long as it lives; none until it is asked for.
class product_memory {
 public:
  explicit product_memory(cuda_context& context) : context_(context) {}
  product_memory(const product_memory&) = delete;
  product_memory& operator=(const product_memory&) = delete;
  ~product_memory() { context_.release(memory_, bytes_); }
  void* make(format_id format, std::int64_t n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(size_of(format));
    memory_ = context_.allocate(bytes), bytes_ = bytes;
    return memory_;
  }

 private:
  cuda_context& context_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// One product with its formats erased.
template <cublasComputeType_t Compute>
struct cuda_product {
  product p;
  format_id memory;  ///< of the operands, as they are multiplied
  product_source a, b, bias;
  void* c;
  format_id c_format;
  bool add;
  const void* mask;
  format_id mask_format;

  static constexpr format_id sums = format_id_v<typename cublas_sums<Compute>::format>;
  static constexpr bool is_tf32 = Compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  using real = std::conditional_t<sums == format_id::f64, double, float>;

  /// Whether cuBLAS stores to c's format: that of the sums, and of float sums that of the operands.
  ///
  /// Source  cuBLAS, "cublasGemmEx", the table of compute, scale and matrix types
  bool is_direct() const { return c_format == sums || (sums == format_id::f32 && c_format == memory); }

  void run(cuda_context& context) {
    const std::int64_t matrices = p.kept.count();
    if (p.m == 0 || p.n == 0 || matrices == 0) return;
    if (p.k == 0 || p.summed.count() == 0) {
      if (!add || p.has_bias) finish(context, p, nullptr);
      return;
    }
    const cublasHandle_t handle = context.cache<cublas_state>().handle();
    product_memory memory_a(context), memory_b(context), memory_bias(context), memory_sums(context);
    const product_wishes& wishes = context.cache<product_wishes>();
    if (wishes.report || wishes.pads) {
      const auto in_place = [&](const product_source& x) { return x.given == memory && x.rounded == format_id::none ? x.data : nullptr; };  // copies are aligned
      product_facts facts = facts_of(p, memory, is_tf32, is_direct() ? c_format : sums, in_place(a), in_place(b), is_direct() ? c : nullptr);
      facts.padded = wishes.pads && size_of(memory) == 2 && misses(facts);
      if (misses(facts) && wishes.report) report_product(wishes, facts);
      if (facts.padded) {
        const product wide = padded();
        const void* const from_a = padded_operand(context, memory_a, a, &batch_loops::a, p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k);
        const void* const from_b = padded_operand(context, memory_b, b, &batch_loops::b, p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n);
        void* const to = memory_sums.make(sums, wide.m * wide.n * matrices);
        multiply(context, handle, wide, from_a, from_b, to, sums, false);
        return finish(context, wide, to);
      }
    }
    const void* const from_a = cast(context, memory_a, a, memory, span(p, p.m * p.k, &batch_loops::a));
    const void* const from_b = cast(context, memory_b, b, memory, span(p, p.k * p.n, &batch_loops::b));
    const bool exact = c_format == sums, single = p.summed.count() == 1;
    const bool after = p.relu || p.has_mask;         // keep a number or make it 0, and may follow the rounding
    const bool before = p.has_bias || p.gelu;        // must not
    // cuBLASLt's relu is max(x, 0), which need not keep a NaN, and its tanh is good for 16 bits: what they would spoil is ours.
    if (p.has_bias && single && matrices == 1 && is_direct() && !add && sums == format_id::f32 && p.factor == 1 && !(p.gelu && exact)) {
      product_source row = {cast(context, memory_bias, bias, c_format, p.n), c_format, format_id::none};
      if (run_fused<Compute>(context, {p, memory, c_format}, from_a, from_b, c, row.data)) {
        if (after) finish(context, p, c, true);
        return;
      }
    }
    if (is_direct() && (exact || (single && !before)) && !(add && (after || before))) {
      multiply(context, handle, p, from_a, from_b, c, c_format, add);
      if (after || before) finish(context, p, c);
      return;
    }
    product own = p;
    dense(own);
    void* const to = memory_sums.make(sums, p.m * p.n * matrices);
    multiply(context, handle, own, from_a, from_b, to, sums, false);
    finish(context, p, to);
  }

 private:
  /// The operand in the format that is multiplied: in place, or cast.
  const void* cast(cuda_context& context, product_memory& own, const product_source& x, format_id to_format, std::int64_t n) const {
    if (x.given == to_format && x.rounded == format_id::none) return x.data;
    void* const to = own.make(to_format, n);
    const bool wide = is_wide(x.given, x.data) && is_wide(to_format, to);
    const auto run = [&](auto* kernel) { launch(context, "cast_operand", product_grid(context, wide ? (n + 7) / 8 : n), block_threads, kernel, x, to, to_format, n, wide); };
    if (x.given == format_id::f64 || to_format == format_id::f64) run(&cast_operand<double>);
    else run(&cast_operand<float>);
    return to;
  }

  static std::int64_t up(std::int64_t size) { return (size + 7) / 8 * 8; }
  static void dense(product& x) {
    std::int64_t size = x.m * x.n;
    for (int i = x.kept.rank - 1; i >= 0; size *= x.kept.extent[i--]) x.kept.c[i] = size;
  }
  /// The product of the padded matrices, its result dense.
  product padded() const {
    product wide = p;
    wide.m = up(p.m), wide.n = up(p.n), wide.k = up(p.k);
    for (batch_loops* loops : {&wide.kept, &wide.summed})
      for (int i = 0; i < loops->rank; ++i) {
        loops->a[i] = loops->a[i] / (p.m * p.k) * (wide.m * wide.k);
        loops->b[i] = loops->b[i] / (p.k * p.n) * (wide.k * wide.n);
      }
    dense(wide);
    return wide;
  }
  const void* padded_operand(cuda_context& context, product_memory& own, const product_source& x, std::int64_t (batch_loops::*stride)[shape::max_rank], std::int64_t rows, std::int64_t columns) const {
    const pad_sizes size = {rows, columns, up(rows), up(columns), span(p, rows * columns, stride) / (rows * columns)};
    const std::int64_t n = size.matrices * size.to_rows * size.to_columns;
    void* const to = own.make(memory, n);
    if (x.given == format_id::f64) launch(context, "pad_operand", product_grid(context, n), block_threads, pad_operand<double>, x, to, memory, size);
    else launch(context, "pad_operand", product_grid(context, n), block_threads, pad_operand<float>, x, to, memory, size);
    return to;
  }

  /// to (+)= op(from_a) · op(from_b), for all matrices, those of `summed` added.
  void multiply(cuda_context&, cublasHandle_t handle, const product& x, const void* from_a, const void* from_b, void* to, format_id to_format, bool onto) const {
    cublas_modes modes(handle);
    modes.set();
    const cudaDataType_t type = cublas_type(memory), to_type = cublas_type(to_format);
    const auto at = [](auto* array, format_id format, std::int64_t i) { return static_cast<const char*>(static_cast<const void*>(array)) + i * size_of(format); };
    const auto factor = cublas_scalar<cublas_scalar_t<Compute>>(p.factor), one = cublas_scalar<cublas_scalar_t<Compute>>(1), zero = cublas_scalar<cublas_scalar_t<Compute>>(0);
    for_each_gemm(x, [&](const gemm& call, std::int64_t at_a, std::int64_t at_b, std::int64_t at_c, bool is_first) {
      const auto* beta = is_first && !onto ? &zero : &one;
      const cublasOperation_t first = call.first_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, second = call.second_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
      const char *data_a = at(from_a, memory, at_a), *data_b = at(from_b, memory, at_b);
      char* const data_c = static_cast<char*>(to) + at_c * size_of(to_format);
      const product_name name{x, memory, to_format};
      if (call.batches == 1)
        require_cublas(cublasGemmEx_64(handle, first, second, call.rows, call.columns, call.depth, &factor, data_b, type, call.first_ld, data_a, type, call.second_ld, beta, data_c, to_type,
                                       call.result_ld, Compute, CUBLAS_GEMM_DEFAULT), "cublasGemmEx_64", name);
      else
        require_cublas(cublasGemmStridedBatchedEx_64(handle, first, second, call.rows, call.columns, call.depth, &factor, data_b, type, call.first_ld, call.first_stride, data_a, type, call.second_ld,
                                                     call.second_stride, beta, data_c, to_type, call.result_ld, call.result_stride, call.batches, Compute, CUBLAS_GEMM_DEFAULT),
                       "cublasGemmStridedBatchedEx_64", name);
    });
  }

  /// The epilogue over what `x` left in `from` (null: zeros), into c.
  void finish(cuda_context& context, const product& x, const void* from, bool is_fused = false) const {
    const bool in_place = from == c && from;
    product_end end = {from, c, p.has_mask ? mask : nullptr, bias, in_place ? c_format : sums, c_format, mask_format, add, p.relu, p.gelu && !is_fused, p.m, p.n, x.m, x.n, p.kept.count()};
    if (!p.has_bias || is_fused) end.bias.data = nullptr;
    if (is_dense(p)) return finish(context, end);
    const std::int64_t matrices = end.matrices;  // one after the other, wherever the loops put them
    end.matrices = 1;
    for (std::int64_t i = 0; i < matrices; ++i) {
      std::int64_t offset = 0, rest = i;
      for (int axis = p.kept.rank - 1; axis >= 0; rest /= p.kept.extent[axis--]) offset += rest % p.kept.extent[axis] * p.kept.c[axis];
      product_end one = end;
      one.c = static_cast<char*>(c) + offset * size_of(c_format);
      if (one.mask) one.mask = static_cast<const char*>(mask) + offset * size_of(mask_format);
      if (from) one.sums = in_place ? one.c : static_cast<const char*>(from) + i * x.m * x.n * size_of(sums);
      finish(context, one);
    }
  }
  static void finish(cuda_context& context, const product_end& end) {
    const bool wide = end.is_wide_all();
    launch(context, "end_product", product_grid(context, wide ? (end.elements() + 7) / 8 : end.elements()), block_threads, end_product<real>, end, wide);
  }
};

template <>
struct matmul_kernels<cuda_device> {
  template <class Accumulate, class C, class A, class ReadA, class B, class ReadB, class Bias, class ReadBias, class Mask>
  static void run(cuda_context& context, const product& p, const target<C>& c, const source<A, ReadA>& a, const source<B, ReadB>& b, const source<Bias, ReadBias>& bias, const source<Mask>& mask) {
    static_assert(std::is_same_v<ReadA, ReadB>);
    using types = cublas_types<ReadA, Accumulate>;
    constexpr format_id memory = format_id_v<typename types::memory>;
    cuda_product<types::compute>{p, memory, read(a, memory), read(b, memory), read(bias, format_id::none), c.data, format_id_v<C>, c.add, mask.data, format_id_v<Mask>}.run(context);
  }

 private:
  /// Numbers are rounded to what the op reads, unless they are given so or memory of that format does it.
  template <class Given, class Read>
  static product_source read(const source<Given, Read>& x, format_id memory) {
    constexpr bool loses = Read::significand_bits < Given::significand_bits || Read::exponent_bits < Given::exponent_bits;
    constexpr format_id rounded = std::is_same_v<Read, tf32> ? format_id::none : format_id_v<Read>;
    return {x.data, format_id_v<Given>, loses && rounded != memory ? rounded : format_id::none};
  }
};

}}}  // namespace amphora::detail
