// Ops of several inputs that must agree on one format: the widest.
#pragma once
#include <amphora/op/tree.hpp>  // promoting

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct add { using parent = promoting; };
struct sub { using parent = promoting; };
struct mul { using parent = promoting; };
struct div { using parent = promoting; };
struct maximum { using parent = promoting; };
struct minimum { using parent = promoting; };
struct addcmul { using parent = promoting; };
struct addcdiv { using parent = promoting; };
struct atan2 { using parent = promoting; };
struct where { using parent = promoting; };
struct lerp { using parent = promoting; };
struct cat { using parent = promoting; };
struct stack { using parent = promoting; };
struct index_put { using parent = promoting; };
struct cross { using parent = promoting; };

/// A branch: the widest format, and a sum inside.
struct promoting_sum { using parent = promoting; using reads = roles<role::compute, role::accumulate, role::output>; };
struct dot { using parent = promoting_sum; };
struct vdot { using parent = promoting_sum; };
struct tensordot { using parent = promoting_sum; };
struct scatter_add { using parent = promoting_sum; };
struct grid_sampler { using parent = promoting_sum; };
struct grid_sample { using parent = grid_sampler; };
struct bilinear { using parent = promoting_sum; using reads = roles<role::params, role::compute, role::accumulate, role::output>; };

}}}  // namespace amphora::op
