// Parameters that are stepped with a master, and state files that keep what can be kept under a name.
#include <amphora/amphora.hpp>
#include <amphora/optimizer/state_file.hpp>

namespace amp = amphora;

struct mixed : amp::policy<amp::params<amp::f16>, amp::compute<amp::f16>, amp::master<amp::f32>> {};
struct inference : amp::policy<amp::params<amp::f16>, amp::compute<amp::f16>> {};
struct stranger { int* pointer; };

int main() {
  amp::host_context context;
  amp::parameter<mixed, amp::op::linear, amp::host_context> w{context, "w", {2}};
  amp::tied_parameter<mixed, amp::host_context, amp::op::linear, amp::op::embedding> tied{context, "tied", {2}};
  amp::mixed_optimizer<amp::sgd, amp::host_context> optimizer{context, amp::sgd{}, {w.view()}};
  long long epoch = 0;
  amp::wait_save_state(context, "/dev/null/x", optimizer, amp::saved("epoch", epoch));
  amp::load_state(context, "/dev/null/x", optimizer, amp::saved("epoch", epoch));
  (void)tied.weights<amp::op::embedding>();
#ifdef AMPHORA_FAIL_no_master_parameter
  amp::parameter<inference, amp::op::linear, amp::host_context> bare{context, "bare", {2}};
#endif
#ifdef AMPHORA_FAIL_unread_setting_tied
  (void)tied.weights<amp::op::matmul>();
#endif
#ifdef AMPHORA_FAIL_setting
  amp::wait_save_state(context, "/dev/null/x", optimizer, epoch);
#endif
#ifdef AMPHORA_FAIL_setting_constant
  const long long fixed = 0;
  amp::load_state(context, "/dev/null/x", optimizer, amp::saved("fixed", fixed));
#endif
#ifdef AMPHORA_FAIL_unknown_storage_type_saved
  stranger other{};
  amp::wait_save_state(context, "/dev/null/x", optimizer, amp::saved("other", other));
#endif
}
