// Ops that are as good in one format as in another: they keep what came in.
#pragma once
#include <amphora/op/tree.hpp>  // transparent

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct activation { using parent = transparent; };  ///< a branch
struct relu { using parent = activation; };
struct leaky_relu { using parent = activation; };
struct elu { using parent = activation; };
struct gelu { using parent = activation; };
struct silu { using parent = activation; };
struct sigmoid { using parent = activation; };
struct tanh { using parent = activation; };
struct hardtanh { using parent = activation; };

struct abs { using parent = transparent; };
struct neg { using parent = transparent; };
struct sqrt { using parent = transparent; };
struct clamp { using parent = transparent; };
struct dropout { using parent = transparent; };

struct max_pool { using parent = transparent; };
struct avg_pool { using parent = transparent; using reads = roles<role::compute, role::accumulate, role::output>; };

struct movement { using parent = transparent; };  ///< a branch: values are moved, none is computed
struct reshape { using parent = movement; };
struct transpose { using parent = movement; };
struct slice { using parent = movement; };
struct pad { using parent = movement; };
struct gather { using parent = movement; };
struct index_select { using parent = movement; };
struct embedding { using parent = movement; using reads = roles<role::params, role::compute, role::output>; };

}}}  // namespace amphora::op
