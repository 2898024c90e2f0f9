#include <amphora/host/level.hpp>  // has_avx2, has_avx512

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

/// The flags that Linux reports of the first CPU, with a blank on both sides; empty elsewhere.
std::string cpu_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("flags", 0) == 0) return line.substr(line.find(':') + 1) + ' ';
  return {};
}
bool has(const std::string& flags, const char* flag) { return flags.find(std::string(" ") + flag + " ") != std::string::npos; }

}  // namespace

TEST_CASE("the levels that the program may use are those that the system reports") {
  const std::string flags = cpu_flags();
  if (flags.empty()) return;
  const bool avx2 = has(flags, "avx2") && has(flags, "f16c");
  CHECK(amphora::detail::has_avx2() == (AMPHORA_X86 && avx2));
  CHECK(amphora::detail::has_avx512() == (AMPHORA_X86 && avx2 && has(flags, "avx512f") && has(flags, "avx512bw") && has(flags, "avx512vl") && has(flags, "avx512dq")));
}

TEST_CASE("a CPU with the highest level has the one below it") {
  CHECK((!amphora::detail::has_avx512() || amphora::detail::has_avx2()));
}
