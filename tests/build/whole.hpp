// A little of everything, so that a program that calls it uses the whole library.
#pragma once
#include <amphora/amphora.hpp>

namespace {

namespace amp = amphora;

/// 0 where every number is right.
inline int whole() {
  amp::host_context context;
  amp::tensor<amp::float16, amp::host_context> x{context, {4}};
  for (int i = 0; i < 4; ++i) x.data()[i] = amp::float16(0.5f * static_cast<float>(i));
  return static_cast<float>(x.data()[3]) == 1.5f ? 0 : 1;
}

}  // namespace
