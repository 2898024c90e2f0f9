// A stand-in for <cudnn.h>: convolutions of cuDNN by their documented arithmetic, on memory of the emulated device. Its limits: README.md.
#pragma once
#include <cuda_runtime.h>

#include "emulated/cudnn.hpp"
