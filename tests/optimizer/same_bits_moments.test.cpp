// Adam's relatives on both devices.
#include <amphora/optimizer/amsgrad.hpp>
#include <amphora/optimizer/adamax.hpp>
#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/radam.hpp>

#include "same_bits.hpp"

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE_TEMPLATE("twenty steps of adam's relatives leave the same bits on the host and on CUDA, skipped ones included", Rule, amp::amsgrad, amp::adamax, amp::nadam, amp::radam) { same_bits::compare(Rule{}); }
