// Ops that divide by a measured deviation: statistics and affine weights in float.
#pragma once
#include <amphora/op/tree.hpp>  // sensitive

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct normalization { using parent = sensitive; };  ///< a branch
struct layer_norm { using parent = normalization; };
struct native_layer_norm { using parent = layer_norm; };
struct rms_norm { using parent = normalization; };
struct group_norm { using parent = normalization; };
struct instance_norm { using parent = normalization; };
struct batch_norm { using parent = normalization; };

}}}  // namespace amphora::op
