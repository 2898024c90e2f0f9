// Without exceptions and run-time type information, an error reaches the program's own handler.
#include "whole.hpp"

#include <cstdlib>
#include <cstring>

#ifndef AMPHORA_WITHOUT_ON_ERROR
[[noreturn]] void amphora::on_error(const error_info& info) {
  const bool right = std::strcmp(info.rule, "size") == 0 && std::strncmp(info.message, "amphora [size]: ", 16) == 0;
  std::exit(right ? 0 : 2);
}
#endif

int main() {
  if (whole() != 0) return 3;
  amphora::host_context refused{-1};
  return 4;  // the handler was not called
}
