// A scaler learns from what the steps found, and from nothing else.
#include <amphora/host/scale.hpp>     // scale_kernels
#include <amphora/scale/outcome.hpp>  // outcome
#include <amphora/scale/scaler.hpp>   // scaler

namespace amp = amphora;

int main() {
  amp::host_context context;
  amp::scaler<amp::host_context> scaler(context);
  const amp::step_record record{amp::step_result::stepped, 0, 0};
  const amp::outcome<amp::host_context> outcome(&record, scaler.ticket(context));
#ifdef AMPHORA_FAIL_no_outcome
  //! [wrong]
  scaler.update(context);
  //! [wrong]
#else
  //! [right]
  scaler.update(context, outcome);
  //! [right]
#endif
}
