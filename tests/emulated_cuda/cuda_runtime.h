// A stand-in for <cuda_runtime.h> under g++ and clang++: kernels run on the CPU. What it finds and what not: README.md.
// Types and signatures are the toolkit's own (cuda_runtime_api.h, cuda_fp16.h); link no cudart.
#pragma once
#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include "emulated/access.hpp"
#include "emulated/allocations.hpp"
#include "emulated/arithmetic.hpp"
#include "emulated/atomics.hpp"
#include "emulated/copies.hpp"
#include "emulated/device_facts.hpp"
#include "emulated/errors.hpp"
#include "emulated/events.hpp"
#include "emulated/graphs.hpp"
#include "emulated/launch.hpp"
#include "emulated/warp.hpp"
