// The library after headers and macros that poison common names.
#include <complex.h>  // I, as a C library defines it
#include <algorithm>
#include <complex>
#ifndef I
#define I poisoned
#endif
#define min(a, b) poisoned
#define max(a, b) poisoned
#define small poisoned
#define near poisoned
#define far poisoned
#define interface poisoned
#define ERROR poisoned
#include "whole.hpp"

int main() { return whole(); }
