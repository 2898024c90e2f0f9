// The optimizer phase on the host: both passes of all tensors in one parallel region.
#pragma once
#include <amphora/host/block.hpp>         // nth
#include <amphora/host/context.hpp>       // host_context, host_device
#include <amphora/host/norm.hpp>          // check_gradients, norm_of_order, each_range
#include <amphora/host/run.hpp>           // load_floats, store_floats
#include <amphora/host/step_loops.hpp>    // step_loops, step_reading
#include <amphora/host/stream.hpp>        // end_streaming
#include <amphora/host/team.hpp>          // in_team
#include <amphora/optimizer/kernels.hpp>  // step_kernels, step_job

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <cstring>  // memset
#if AMPHORA_X86
#include <xmmintrin.h>  // _mm_getcsr, _mm_setcsr
#endif

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// While it lives, this thread's float arithmetic reads and writes subnormal numbers as 0, where the CPU can be told so.
class flushing {
 public:
  explicit flushing(bool on) : on_(on) {
#if AMPHORA_X86
    if (on_) before_ = _mm_getcsr(), _mm_setcsr(before_ | 0x8040u);
#endif
  }
  flushing(const flushing&) = delete;
  flushing& operator=(const flushing&) = delete;
  ~flushing() {
#if AMPHORA_X86
    if (on_) _mm_setcsr(before_);
#endif
  }

 private:
  bool on_;
  unsigned before_ = 0;
};

/// Threads that are worth their region: at least two chunks for each.
inline int useful_threads(const host_context& context, const gradient_view* entries, std::int64_t count) {
  const std::int64_t most = chunks_of(entries, count) / 2;
  return most < context.threads() ? static_cast<int>(most < 1 ? 1 : most) : context.threads();
}

/// Calls work(first, count) for runs of at most a block, shared out among the context's threads.
template <class Build, class Work>
void each_run(host_context& context, const gradient_view& entry, const Work& work) {
  in_team(useful_threads(context, &entry, 1), [&](const team_member& member) {
    each_range(member, &entry, 1, [&](std::int64_t, std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; i += step_block) work(i, to - i < step_block ? to - i : step_block);
    });
  });
}

/// Parameters from which on a step is taken not to fit the cache: with float masters and two states, 18 MB.
inline constexpr std::int64_t large_step = std::int64_t(1) << 20;

template <class Level, class Rule, class Schedule, class Build>
void update_tensors(const team_member& member, const step_job<Rule, Schedule>& job) {
  const auto& d = job.decision;
  const auto& memory = d.memory;
  std::int64_t elements = 0;
  for (std::int64_t k = 0; k < d.count; ++k) elements += d.gradients[k].data ? d.tensors[k].n : 0;
  const step_reading reading(*memory.facts, elements > large_step);
  const auto random = [&](std::int64_t k) {
    return stochastic_rounding{job.seed, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(memory.steps[k])};
  };
  if constexpr (!rule_traits<Rule>::needs_norms) {
    each_range(member, d.gradients, d.count, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      step_loops<Level>::template update<Rule, Build>(memory.rules[d.tensors[k].group], memory.nows[k], reading, d.tensors[k], d.gradients[k], from, to, random(k));
    });
  } else {
    const std::int64_t chunks = chunks_of(d.gradients, d.count);
    each_chunk(member, d.gradients, d.count, [&](std::int64_t k, std::int64_t from, std::int64_t to, std::int64_t chunk) {
      double norms[2];
      step_loops<Level>::template direct<Rule, Build>(memory.rules[d.tensors[k].group], memory.nows[k], reading, d.tensors[k], d.gradients[k], from, to, norms);
      job.partial[chunk] = norms[0], job.partial[chunks + chunk] = norms[1];
    });
    member.meet();
    if (member.first())
      for (std::int64_t k = 0, before = 0; k < d.count; ++k) {
        if (!d.gradients[k].data) continue;
        const std::int64_t own = chunks_of(d.gradients[k].n);
        memory.trusts[k] = memory.rules[d.tensors[k].group].trust(std::sqrt(fold_columns(job.partial + before, own, false)),
                                                                  std::sqrt(fold_columns(job.partial + chunks + before, own, false)), memory.nows[k]);
        before += own;
      }
    member.meet();
    each_range(member, d.gradients, d.count, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      step_loops<Level>::template trust<Rule, Build>(memory.rules[d.tensors[k].group], memory.nows[k], memory.trusts[k], reading, d.tensors[k], d.gradients[k], from, to, random(k));
    });
  }
  if (reading.large) end_streaming();
}

template <class Level, class Build, class Rule, class Schedule>
void run_step(int threads, const step_job<Rule, Schedule>& job) {
  const auto& d = job.decision;
  gradient_facts& facts = *d.memory.facts;
  if (job.check) {
    facts = job.known ? *job.known : gradient_facts();
    for (std::int64_t k = 0; k < d.count; ++k) facts.present |= d.gradients[k].data != nullptr;
    if (!job.known) facts.inverse = job.inverse ? *job.inverse : 1.0f, facts.choice = job.choice;
  }
  in_team(threads, [&](const team_member& member) {
    if (job.check && !job.known) check_gradients<Level, Build>(member, d.gradients, d.count, job.partial, facts);
    if (job.decide) {
      const double norm = d.clip.by_norm ? norm_of_order<Build>(member, d.gradients, d.count, job.partial, facts, d.clip.order) : facts.norm;
      member.meet();
      if (member.first()) {
        if (d.clip.by_norm) facts.clip_norm = norm;
        const std::int64_t taken = d.begin(norm);
        for (std::int64_t k = 0; taken != d.not_taken && k < d.count; ++k) d.tensor(k, taken);
      }
      member.meet();
    }
    if (job.update && d.memory.record->result == step_result::stepped) {
      const flushing scope(job.subnormals == subnormals::flush);
      update_tensors<Level, Rule, Schedule, Build>(member, job);
    }
  });
}

}  // namespace detail

template <>
struct step_kernels<host_device> {
  template <class Rule, class Schedule, class Tables, class Build = detail::this_build>
  static void step(host_context& context, const detail::step_job<Rule, Schedule>& job, const Tables&) {
    const int threads = detail::useful_threads(context, job.decision.gradients, job.decision.count);
#if AMPHORA_X86
    if (job.level >= 2 && detail::has_avx512()) return detail::run_step<detail::level_avx512, Build>(threads, job);
    if (job.level >= 1 && detail::has_avx2()) return detail::run_step<detail::level_avx2, Build>(threads, job);
#endif
    detail::run_step<detail::level_base, Build>(threads, job);
  }
  template <class Build = detail::this_build>
  static void check(host_context& context, const gradient_view* entries, std::int64_t count, double* partial, gradient_facts* facts) {
    detail::in_team(detail::useful_threads(context, entries, count), [&](const detail::team_member& member) {
#if AMPHORA_X86
      if (detail::has_avx2()) return detail::check_gradients<detail::level_avx2, Build>(member, entries, count, partial, *facts);
#endif
      detail::check_gradients<detail::level_base, Build>(member, entries, count, partial, *facts);
    });
  }
  template <class Build = detail::this_build>
  static void norm(host_context& context, const gradient_view* entries, std::int64_t count, double* partial, const gradient_facts* facts, double order, double* result) {
    detail::in_team(detail::useful_threads(context, entries, count), [&](const detail::team_member& member) {
      const double norm = detail::norm_of_order<Build>(member, entries, count, partial, *facts, order);
      if (member.first()) *result = norm;
    });
  }
  template <class Build = detail::this_build>
  static void clip(host_context& context, const gradient_view* entries, std::int64_t count, double* partial, gradient_facts* facts, const detail::clip_numbers& clip) {
    double now = facts->norm;
    if (clip.by_norm) norm<Build>(context, entries, count, partial, facts, clip.order, &now);
    detail::narrow_facts(*facts, clip, now);
    if (clip.by_norm) facts->clip_norm = now;
  }
  template <class Build = detail::this_build>
  static void materialize(host_context& context, const gradient_view* entries, std::int64_t count, const gradient_facts* facts, float* const* to) {
    for (std::int64_t k = 0; k < count; ++k) {
      const gradient_view& from = entries[k];
      if (!from.data) continue;
      detail::each_run<Build>(context, from, [&](std::int64_t i, std::int64_t n) {
        std::int64_t changed = 0;
        detail::load_floats(from.format, detail::nth(from.data, from.format, i), to[k] + i, n);
        for (std::int64_t j = i; j < i + n; ++j) to[k][j] = facts->value(to[k][j], detail::largest_of(from.format), changed);
      });
    }
  }
  template <class Build = detail::this_build>
  static void widen(host_context& context, const gradient_view* entries, std::int64_t count, float* const* to) {
    for (std::int64_t k = 0; k < count; ++k) {
      const gradient_view& from = entries[k];
      if (from.data) detail::each_run<Build>(context, from, [&](std::int64_t i, std::int64_t n) { detail::load_floats(from.format, detail::nth(from.data, from.format, i), to[k] + i, n); });
    }
  }
  template <class Build = detail::this_build>
  static void add(host_context& context, const gradient_view& from, const model_pointer& to) {
    detail::each_run<Build>(context, from, [&](std::int64_t i, std::int64_t n) {
      float a[detail::step_block], b[detail::step_block];
      void* const place = detail::nth(to.data, to.format, i);
      detail::load_floats(from.format, detail::nth(from.data, from.format, i), a, n), detail::load_floats(to.format, place, b, n);
      for (std::int64_t j = 0; j < n; ++j) b[j] = (real(b[j]) + real(a[j])).x;
      detail::store_floats(to.format, b, place, n);
    });
  }
  static void clear(host_context&, void* memory, std::size_t bytes) { std::memset(memory, 0, bytes); }
};

}}  // namespace amphora
