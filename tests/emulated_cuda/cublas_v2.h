// A stand-in for <cublas_v2.h>: cuBLAS by its documented arithmetic, on memory of the emulated device. Its limits: README.md.
#pragma once
#include <cuda_runtime.h>

#include "emulated/cublas.hpp"
