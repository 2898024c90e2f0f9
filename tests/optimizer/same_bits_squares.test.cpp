// Rules that keep squares alone on both devices.
#include <amphora/optimizer/adadelta.hpp>
#include <amphora/optimizer/adagrad.hpp>
#include <amphora/optimizer/rmsprop.hpp>

#include "same_bits.hpp"

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE_TEMPLATE("twenty steps of rules that keep squares alone leave the same bits on the host and on CUDA, skipped ones included", Rule, amp::adagrad, amp::adadelta, amp::rmsprop) { same_bits::compare(Rule{}); }

TEST_CASE("so does rmsprop's centred form with momentum, upwards") {
  amp::rmsprop centered;
  centered.centered = true, centered.momentum = 0.5, centered.maximize = true;
  same_bits::compare(centered);
}
