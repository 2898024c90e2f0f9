// The library after headers and macros that poison common names.
#include <complex.h>  // I, as a C library defines it

// The standard library's own headers do not stand such macros, so they come first.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

// As C's <complex.h> and Windows' headers define them.
#undef I
#define I (1.0iF)
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define near
#define far
#define interface struct
#define ERROR 0
#include "whole.hpp"

int main() { return whole(); }
