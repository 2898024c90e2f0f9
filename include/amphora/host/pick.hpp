// Values made of any numbers of their operands, on the host.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/pick.hpp>       // pick_kernels, pool, index_source, no_such_number

#include <algorithm>    // fill_n, min
#include <cstdint>      // int64_t, int32_t
#include <cstring>      // memcpy
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers of an operand as Real: where they lie, in a copy, or each when it is asked for where few are.
template <class Real>
class host_pool {
 public:
  /// asks  about how many numbers will be asked for
  template <class Given, class Read>
  host_pool(host_context& context, std::int64_t asks, const pool<Given, Read>& x) : context_(&context), from_(x.from) {
    if (from_.given == (sizeof(Real) == 8 ? format_id::f64 : format_id::f32) && from_.read == from_.given) {
      data_ = static_cast<const Real*>(from_.data);
      return;
    }
    if (asks < x.size / 2) return;
    bytes_ = static_cast<std::size_t>(x.size + 1) * sizeof(Real);
    own_ = static_cast<Real*>(context.allocate(bytes_));
    data_ = own_;
    constexpr std::int64_t part = 4096;
    for_pieces(context, (x.size + part - 1) / part, x.size > 65536, [&](std::int64_t i, int) { load_run(from_, i * part, (std::min)(part, x.size - i * part), own_ + i * part); });
  }
  host_pool(const host_pool&) = delete;
  ~host_pool() { context_->release(own_, bytes_); }
  Real operator()(std::int64_t i) const {
    if (data_) return data_[i];
    Real one;
    load_run(from_, i, 1, &one);
    return one;
  }

 private:
  host_context* context_;
  host_source from_;
  const Real* data_ = nullptr;
  Real* own_ = nullptr;
  std::size_t bytes_ = 0;
};
class host_indices {
 public:
  host_indices(host_context&, std::int64_t, const index_source& x) : data_(static_cast<const char*>(x.data)), bytes_(x.bytes) {}
  std::int64_t operator()(std::int64_t i) const {
    std::int32_t narrow = 0;
    std::int64_t wide = 0;
    if (bytes_ == 8) return std::memcpy(&wide, data_ + 8 * i, 8), wide;
    if (bytes_ == 4) return std::memcpy(&narrow, data_ + 4 * i, 4), narrow;
    return data_[i] != 0;
  }

 private:
  const char* data_;
  int bytes_;
};
template <class Real, class From> struct host_reader { using type = host_pool<Real>; };
template <class Real> struct host_reader<Real, index_source> { using type = host_indices; };
template <class Real, class From> using host_reader_t = typename host_reader<Real, From>::type;

template <>
struct pick_kernels<host_device> {
  template <class Function, class Y, class... From>
  static void run(host_context& context, const Function& f, std::int64_t n, const target<Y>& y, const From&... x) {
    using real = typename pick_real<Y, From...>::t;
    dense<real>(context, f, n, host_target(y), host_reader_t<real, From>(context, n, x)...);
  }
  template <class Function, class Y, class... From>
  static void run_at(host_context& context, const Function& f, std::int64_t n, const target<Y>& y, const From&... x) {
    using real = typename pick_real<Y, From...>::t;
    placed<real>(context, f, n, host_target(y), host_reader_t<real, From>(context, n, x)...);
  }
  template <class Function, class Y, class Given, class Read, class... Index>
  static void rows(host_context& context, const Function& f, std::int64_t n, std::int64_t width, const target<Y>& y, const pool<Given, Read>& x, const Index&... index) {
    using real = typename pick_real<Y, pool<Given, Read>>::t;
    moved_rows<real>(context, f, n, width, host_target(y), host_source(x.from), host_indices(context, n, index)...);
  }
  template <class Function, class... From>
  static void indices(host_context& context, const Function& f, std::int64_t n, std::int64_t* y, const From&... x) {
    numbered(context, f, n, y, host_reader_t<typename pick_real<f32, From...>::t, From>(context, n, x)...);
  }

 private:
  static constexpr std::int64_t run_length = 512;
  template <class Work> static void in_runs(host_context& context, std::int64_t n, const Work& work) {
    for_pieces(context, (n + run_length - 1) / run_length, n > 4096, [&](std::int64_t piece, int) { work(piece * run_length, (std::min)(run_length, n - piece * run_length)); });
  }
  template <class Real, class Function, class... Reader>
  static void dense(host_context& context, const Function& f, std::int64_t n, const host_target& y, const Reader&... x) {
    in_runs(context, n, [&](std::int64_t first, std::int64_t count) {
      Real out[run_length];
      for (std::int64_t j = 0; j < count; ++j) out[j] = static_cast<Real>(f(first + j, x...));
      store_run(y, first, count, out);
    });
  }
  template <class Real, class Function, class... Reader>
  static void placed(host_context& context, const Function& f, std::int64_t n, const host_target& y, const Reader&... x) {
    in_runs(context, n, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        const std::int64_t at = f.place(i, x...);
        if (at < 0) continue;
        Real out = static_cast<Real>(f(i, x...));
        store_run(y, at, 1, &out);
      }
    });
  }
  template <class Real, class Function, class... Reader>
  static void moved_rows(host_context& context, const Function& f, std::int64_t n, std::int64_t width, const host_target& y, const host_source& x, const Reader&... index) {
    const std::int64_t parts = (width + run_length - 1) / run_length;
    for_pieces(context, n * parts, n * width > 32768, [&](std::int64_t piece, int) {
      const std::int64_t r = piece / parts, first = piece % parts * run_length, count = (std::min)(run_length, width - first), row = f(r, index...);
      Real part[run_length];
      if (row >= 0) load_run(x, row * width + first, count, part);
      else std::fill_n(part, count, no_such_number<Real>);
      store_run(y, r * width + first, count, part);
    });
  }
  template <class Function, class... Reader>
  static void numbered(host_context& context, const Function& f, std::int64_t n, std::int64_t* y, const Reader&... x) {
    in_runs(context, n, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) y[i] = f(i, x...);
    });
  }
};

}}}  // namespace amphora::detail
