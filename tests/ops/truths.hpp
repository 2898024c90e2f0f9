// Arrays of truth values for tests.
#pragma once
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>
#include <device_ops.hpp>

#include <vector>

/// std::vector<bool> has no array of its own: the bytes are written as such.
inline amphora::tensor<bool, test_context> truths(test_context& context, const amphora::shape& shape, const std::vector<double>& values) {
  static_assert(sizeof(bool) == 1);
  amphora::tensor<bool, test_context> result(context, shape);
  std::vector<unsigned char> bytes(values.begin(), values.end());
  amphora::write(context, bytes, amphora::view<unsigned char>(reinterpret_cast<unsigned char*>(result.data()), shape));
  return result;
}
