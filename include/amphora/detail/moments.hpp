// What the members of Adam's family share: bias-corrected running means of the gradient and of its square.
#pragma once
#include <amphora/detail/rounded.hpp>  // rounded
#include <amphora/detail/setting.hpp>  // require_in

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

struct moments {
  real take1, keep2, take2, size, root, eps;

  AMPHORA_HD static moments at(rounded lr, std::int64_t step, rounded beta1, rounded beta2, rounded eps) {
    const rounded one = 1.0;
    return {(one - beta1).single(), beta2.single(), (one - beta2).single(), (lr / (one - power(beta1, step))).single(),
            (one / sqrt(one - power(beta2, step))).single(), eps.single()};
  }
  AMPHORA_HD void move(real g, real& first, real& second) const {
    first = first + (g - first) * take1;
    second = second * keep2 + g * g * take2;
  }
  /// √v̂ + eps
  AMPHORA_HD real spread(real second) const { return sqrt(second) * root + eps; }
  /// lr · m̂ / (√v̂ + eps)
  AMPHORA_HD real update(real first, real second) const { return size * (first / spread(second)); }
};

constexpr void require_betas(const char* rule, double beta1, double beta2) {
  require_in(rule, "beta1", beta1, 0, 1);
  require_in(rule, "beta2", beta2, 0, 1);
}
constexpr void require_moments(const char* rule, double beta1, double beta2, double eps) {
  require_betas(rule, beta1, beta2);
  require_epsilon(rule, eps);
}

}}}  // namespace amphora::detail
