// The host and the CUDA device in one program: every rule leaves the same bits on both (this file and those named same_bits_…).
#include <amphora/optimizer/adam.hpp>
#include <amphora/optimizer/adamw.hpp>

#include "same_bits.hpp"

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE_TEMPLATE("twenty steps of adam and adamw leave the same bits on the host and on CUDA, skipped ones included", Rule, amp::adam, amp::adamw) { same_bits::compare(Rule{}); }

TEST_CASE("so do repaired overflows, and moments so small that they are flushed or kept") {
  for (auto choice : {amp::on_overflow::saturate, amp::on_overflow::zero}) same_bits::compare(amp::adamw{}, {choice});
  for (auto choice : {amp::subnormals::keep, amp::subnormals::flush}) same_bits::compare(amp::adam{}, {amp::on_overflow::skip, choice, 0x1p-70f});
}
