#include <amphora/op/interpolation.hpp>

namespace amp = amphora;
namespace op = amp::op;

static_assert(amp::is_below_v<op::upsample_bicubic2d_aa, op::interpolation> && amp::is_below_v<op::upsample_nearest_exact3d, op::sensitive>);
static_assert(amp::reason_v<op::upsample_linear1d> == amp::reason::speed && amp::reads_v<op::upsample_bilinear2d, amp::role::accumulate>);
