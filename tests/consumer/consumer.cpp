// A program of somebody who uses the library. The three consumer projects build it; it ends with 0 where the numbers are right.
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

namespace amp = amphora;

struct mixed : amp::o1<amp::bf16> {};

int main() {
  amp::host_context context;
  float x[6] = {1, 2, 3, 4, 5, 6}, w[3] = {1, 0, -1};
  const auto y = amp::linear<mixed>(context, amp::view{x, {2, 3}}, amp::view{w, {1, 3}});
  static_assert(std::is_same_v<decltype(y), const amp::tensor<amp::bfloat16, amp::host_context>>);
  return static_cast<float>(y.data()[0]) == -2 && static_cast<float>(y.data()[1]) == -2 && AMPHORA_VERSION_MAJOR == 0 ? 0 : 1;
}
