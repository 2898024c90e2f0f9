// Evaluation and inference under a policy: the same ops on a context, with no tape, no gradients and no optimizer.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <algorithm>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

/// Frozen parameters have no gradient: a master and the copy that the policy reads.
template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  weight w1, b1, w2, b2;

  explicit network(amp::host_context& context)
      : w1(context, "w1", {7, 5}, amp::training::frozen), b1(context, "b1", {7}, amp::training::frozen), w2(context, "w2", {3, 7}, amp::training::frozen),
        b2(context, "b2", {3}, amp::training::frozen) {}
};

template <class Policy>
void infer(reference& run) {
  amp::host_context context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  std::vector<double> logits, probabilities, classes;
  bool same = true;
  for (int i = 0; i < 12; ++i) {
    const auto x = run.batch<float>(context, "x", i);
    //! [infer]
    const auto y = amp::autocast<Policy>(context, [&](auto amp) {
      const auto hidden = amp.gelu(amp.linear(x, net.w1.weights(), net.b1.weights()));
      return amp.linear(hidden, net.w2.weights(), net.b2.weights());
    });
    const auto p = amp::softmax<Policy>(context, y);  // in f32, whatever the logits are in
    //! [infer]
    //! [no_grad]
    // Code that is written for a tape runs on one that records nothing; each value goes back to the context with its last variable.
    const amp::tape tape = amp::tape{context}.no_grad();
    const auto again = amp::autocast<Policy>(tape, [&](auto amp) {
      return amp.linear(amp.gelu(amp.linear(tape.constant(x), tape.leaf(net.w1), tape.leaf(net.b1))), tape.leaf(net.w2), tape.leaf(net.b2));
    });
    //! [no_grad]
    const auto numbers = amp::wait_read(context, amp::cast<amp::f32>(context, y));
    same = same && numbers == amp::wait_read(context, amp::cast<amp::f32>(context, again.value()));
    logits.insert(logits.end(), numbers.begin(), numbers.end());
    for (float each : amp::wait_read(context, p)) probabilities.push_back(each);
    for (auto row = numbers.begin(); row != numbers.end(); row += 3) classes.push_back(static_cast<double>(std::max_element(row, row + 3) - row));
  }
  run.compare<Policy>("logits", logits);
  run.compare<Policy>("probabilities", probabilities);
  run.require_equal("classes", classes);
  run.require("no_grad's bits", same);
}

int main() {
  reference run("inference");
  infer<in_float>(run);
  infer<mixed>(run);
  return run.status();
}
