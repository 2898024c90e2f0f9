// Rules with one running mean or none on both devices.
#include <amphora/optimizer/lion.hpp>
#include <amphora/optimizer/sgd.hpp>

#include "same_bits.hpp"

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE_TEMPLATE("twenty steps of rules with one running mean or none leave the same bits on the host and on CUDA, skipped ones included", Rule, amp::sgd, amp::plain_sgd, amp::lion) { same_bits::compare(Rule{}); }

TEST_CASE("so does sgd along Nesterov's direction, with a decay beside the gradient") {
  amp::sgd nesterov;
  nesterov.momentum = 0.9, nesterov.nesterov = true, nesterov.weight_decay = 0.1, nesterov.decoupled_weight_decay = true;
  same_bits::compare(nesterov);
}
