// A stand-in for <cublasLt.h>: cuBLASLt by its documented arithmetic, on memory of the emulated device. Its limits: README.md.
#pragma once
#include <cuda_runtime.h>

#include "emulated/cublas_lt.hpp"
