// An opt level with an override: AMPHORA_LEGAL as it stands, AMPHORA_ILLEGAL with the macro.
#include <amphora/policy/opt_level.hpp>  // o0, o1, o2, o3
#include <amphora/policy/weights.hpp>    // params_t

#include <type_traits>  // is_empty_v

using namespace amphora;

#ifdef AMPHORA_LEGAL
static_assert(std::is_empty_v<AMPHORA_LEGAL>);
#ifdef AMPHORA_FAIL_illegal_override
static_assert(std::is_empty_v<AMPHORA_ILLEGAL>);
static_assert(is_format_v<params_t<AMPHORA_ILLEGAL, op::batch_norm>>);  // what is asked of it later is no second error
#endif
#else
//! [right]
struct own : amphora::amend<amphora::o1<amphora::f16>, amphora::in<amphora::op::batch_norm, amphora::compute<amphora::f16>>> {};
//! [right]
#if defined(AMPHORA_FAIL_illegal_override)
//! [wrong]
struct wrong : amphora::o1<amphora::f16, amphora::keep_batchnorm_fp32<false>> {};
//! [wrong]
#elif defined(AMPHORA_FAIL_illegal_override_unknown)
struct wrong : amphora::o1<amphora::f16, float> {};
#endif
#endif

int main() {}
