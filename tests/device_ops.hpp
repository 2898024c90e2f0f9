// The device that a test runs on, with the kernels of all ops.
#pragma once
#include <device.hpp>  // test_context

#if defined(AMPHORA_TEST_CUDA)
#include <amphora/cuda_ops.cuh>
#else
#include <amphora/host/class_margin_loss.hpp>  // class_margin_kernels
#include <amphora/host/convolution.hpp>    // convolution_kernels
#include <amphora/host/cross_entropy.hpp>  // cross_entropy_kernels
#include <amphora/host/dropout.hpp>        // dropout_kernels
#include <amphora/host/fold.hpp>           // fold_kernels
#include <amphora/host/index.hpp>          // index_kernels
#include <amphora/host/map.hpp>            // map_kernels
#include <amphora/host/map_reduce.hpp>     // map_reduce_kernels
#include <amphora/host/attention.hpp>      // attention_kernels
#include <amphora/host/masked_softmax.hpp>  // masked_softmax_kernels
#include <amphora/host/matmul.hpp>         // matmul_kernels
#include <amphora/host/memory.hpp>         // memory_kernels
#include <amphora/host/movement.hpp>       // movement_kernels
#include <amphora/host/nll_loss.hpp>       // nll_kernels
#include <amphora/host/normalization.hpp>  // normalization_kernels
#include <amphora/host/pick.hpp>           // pick_kernels
#include <amphora/host/pooling.hpp>        // pooling_kernels
#include <amphora/host/reduce.hpp>         // reduce_kernels
#include <amphora/host/scan.hpp>           // scan_kernels
#include <amphora/host/softmax.hpp>        // softmax_kernels
#include <amphora/host/triangle.hpp>       // triangle_kernels
#endif
