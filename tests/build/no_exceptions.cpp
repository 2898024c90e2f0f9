// Without exceptions and run-time type information, an error reaches the program's own handler.
#include "whole.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
bool is_expected(const amphora::error_info& info) {
  return std::strcmp(info.rule, "size") == 0 && std::strncmp(info.message, "amphora [size]: ", 16) == 0;
}
}  // namespace

#ifndef AMPHORA_WITHOUT_ON_ERROR
//! [on_error]
[[noreturn]] void amphora::on_error(const error_info& info) {
  std::fprintf(stderr, "%s\n", info.message);
  std::exit(is_expected(info) ? 0 : 2);
}
//! [on_error]
#endif

int main() {
  if (whole() != 0) return 3;
  amphora::host_context refused{-1};
  return 4;  // the handler was not called
}
