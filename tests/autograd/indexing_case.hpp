// The tape and the device's kernels for ops that move numbers, find them by index or resample them.
#pragma once
#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <ops/indexing_case.hpp>
