// Elementwise functions whose value or derivative leaves a 16-bit range.
#pragma once
#include <amphora/op/tree.hpp>  // sensitive

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct transcendental { using parent = sensitive; using reads = roles<role::compute, role::output>; };  ///< a branch
struct acos { using parent = transcendental; };
struct asin { using parent = transcendental; };
struct cosh { using parent = transcendental; };
struct sinh { using parent = transcendental; };
struct tan { using parent = transcendental; };
struct erfinv { using parent = transcendental; };
struct exp { using parent = transcendental; };
struct expm1 { using parent = transcendental; };
struct log { using parent = transcendental; };
struct log10 { using parent = transcendental; };
struct log2 { using parent = transcendental; };
struct log1p { using parent = transcendental; };
struct reciprocal { using parent = transcendental; };
struct rdiv { using parent = reciprocal; };  ///< a number divided by a tensor
struct rsqrt { using parent = transcendental; };
struct pow { using parent = transcendental; };
struct rpow { using parent = pow; };  ///< a number raised to a tensor
struct softplus { using parent = transcendental; };

}}}  // namespace amphora::op
