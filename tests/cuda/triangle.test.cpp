#include <amphora/cuda/triangle.cuh>

#include <amphora/host/triangle.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;

namespace {

template <class T, class Context> std::vector<float> there_and_back(Context& c, std::int64_t n, bool back) {
  const amp::shape pairs{amp::detail::triangle_size(n)}, square{n, n};
  check::array<T, Context> x(c, back ? pairs : square, check::numbers<T>(back ? pairs.elements() : square.elements(), 1));
  check::array<float, Context> y(c, back ? square : pairs, check::numbers<float>(back ? square.elements() : pairs.elements(), 2));
  using kernels = amp::detail::triangle_kernels<typename Context::device>;
  if (back) kernels::spread(c, n, amp::detail::write(y.view()), amp::detail::read(amp::detail::operand(x.view())));
  else kernels::pick(c, n, amp::detail::write(y.view()), amp::detail::read(amp::detail::operand(x.view())));
  return y.wait_read();
}

}  // namespace

TEST_CASE_TEMPLATE("what stands above a diagonal is picked and spread as on the host", T, amp::float16, float) {
  amp::host_context host;
  amp::cuda_context cuda;
  for (std::int64_t n : {0, 1, 2, 3, 33, 100})
    for (bool back : {false, true}) CHECK(check::different(there_and_back<T>(cuda, n, back), there_and_back<T>(host, n, back)) == 0);
}
