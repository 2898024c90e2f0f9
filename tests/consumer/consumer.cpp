// A program of somebody who uses the library. The three consumer projects build it; it ends with 0 where the numbers are right.
#include <amphora/amphora.hpp>

int main() { return AMPHORA_VERSION_MAJOR == 0 ? 0 : 1; }
