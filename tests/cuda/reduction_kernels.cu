// A handful of the folds' and scans' kernels, compiled for what ptxas says of them: no spills, no stack frames.
#include <amphora/cuda/context.cuh>
#include <amphora/cuda/fold.cuh>
#include <amphora/cuda/map.cuh>
#include <amphora/cuda/scan.cuh>
#include <amphora/cuda/triangle.cuh>
#include <amphora/ops/cosine_similarity.hpp>
#include <amphora/ops/cumulative.hpp>
#include <amphora/ops/logsumexp.hpp>
#include <amphora/ops/norm.hpp>
#include <amphora/ops/pdist.hpp>
#include <amphora/ops/prod.hpp>
#include <amphora/policy/policy.hpp>

namespace amp = amphora;
using policy = amp::policy<>;

void folds(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<double> widest) {
  amp::norm<policy>(context, amp::into(y), x, 3);
  amp::norm<policy>(context, amp::into(widest), widest);
  amp::norm_backward<policy>(context, amp::into(y), y, x, 3);
  amp::logsumexp<policy>(context, amp::into(y), x);
  amp::logsumexp_backward<policy>(context, amp::into(y), y, x);
  amp::logsumexp<policy>(context, amp::into(widest), widest);
  amp::prod<policy>(context, amp::into(y), x);
  amp::prod_backward<policy>(context, amp::into(y), y, x);
}
void pairs(amp::cuda_context& context, amp::view<float> y, amp::view<amp::float16> x, amp::view<float> wide) {
  amp::pdist<policy>(context, amp::into(y), wide);
  amp::pdist_backward<policy>(context, amp::into(y), y, wide);
  amp::cosine_similarity_backward<policy>(context, y, wide, wide, amp::into(x), amp::no_gradient{});
}
void scans(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<double> widest) {
  amp::cumsum<policy>(context, amp::into(y), x);
  amp::cumprod_backward<policy>(context, amp::into(y), y, x);
  amp::cumsum<policy>(context, amp::into(widest), widest);
}
