// One role is set once for the same ops.
#include <amphora/policy/policy.hpp>  // policy, amend

struct mixed : amphora::policy<amphora::compute<amphora::f16>, amphora::params<amphora::f32>> {};
struct changed : amphora::amend<mixed, amphora::compute<amphora::bf16>> {};
#ifdef AMPHORA_FAIL_contradiction
struct bad : amphora::policy<amphora::compute<amphora::f16>, amphora::params<amphora::f32>, amphora::compute<amphora::f32>> {};
#endif

int main() {
  mixed{}, changed{};
}
