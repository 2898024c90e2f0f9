#include "run.hpp"

#include <string>

TEST_CASE("a status has a name and a text") {
  CHECK(cudaGetErrorName(cudaSuccess) == std::string("cudaSuccess"));
  CHECK(cudaGetErrorName(cudaErrorMemoryAllocation) == std::string("cudaErrorMemoryAllocation"));
  CHECK(cudaGetErrorString(cudaErrorMemoryAllocation) == std::string("out of memory"));
  CHECK(cudaGetErrorName(cudaErrorStreamCaptureUnsupported) == std::string("cudaErrorStreamCaptureUnsupported"));
  CHECK(cudaGetErrorName(static_cast<cudaError_t>(12345)) == std::string("unrecognized error code"));
  CHECK(cudaGetErrorString(static_cast<cudaError_t>(12345)) == std::string("unrecognized error code"));
}
