// A stand-in for <cuda_runtime.h> under g++ and clang++: kernels run on the CPU. What it finds and what not: README.md.
// Types and signatures are the toolkit's own (cuda_runtime_api.h, cuda_fp16.h); link no cudart.
#pragma once
#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include "access.hpp"
#include "allocations.hpp"
#include "arithmetic.hpp"
#include "atomics.hpp"
#include "copies.hpp"
#include "device_facts.hpp"
#include "errors.hpp"
#include "events.hpp"
#include "graphs.hpp"
#include "launch.hpp"
#include "warp.hpp"
