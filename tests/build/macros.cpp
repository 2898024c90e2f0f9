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

#undef I
#define I poisoned
#define min(a, b) poisoned
#define max(a, b) poisoned
#define small poisoned
#define near poisoned
#define far poisoned
#define interface poisoned
#define ERROR poisoned
#include "whole.hpp"

int main() { return whole(); }
