// Rules with a norm for each tensor on both devices.
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/lars.hpp>

#include "same_bits.hpp"

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE_TEMPLATE("twenty steps of rules with a norm for each tensor leave the same bits on the host and on CUDA, skipped ones included", Rule, amp::lamb, amp::lars) { same_bits::compare(Rule{}); }

TEST_CASE("so does lars with decay and LARC's bound") {
  amp::lars adapting;
  adapting.momentum = 0.9, adapting.weight_decay = 0.01, adapting.trust_clip = true;
  same_bits::compare(adapting);
}
