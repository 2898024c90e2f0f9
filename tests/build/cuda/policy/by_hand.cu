// The three kernels for those formats, written down.
#include <amphora/cuda/map.cuh>
#include <amphora/ops/add.hpp>
#include <amphora/ops/cast.hpp>
#include <amphora/ops/gelu.hpp>

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

using x = source<f16, f16>;
template AMPHORA_KERNEL void map_elements<float, add_value, loops<2>, f16, x, x>(add_value, loops<2>, map_plan, target<f16>, x, x);
template AMPHORA_KERNEL void map_elements<float, gelu_value, loops<1>, f16, x>(gelu_value, loops<1>, map_plan, target<f16>, x);
template AMPHORA_KERNEL void map_elements<float, as_it_is, loops<1>, f32, x>(as_it_is, loops<1>, map_plan, target<f32>, x);

}}}  // namespace amphora::detail
