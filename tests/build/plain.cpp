// The whole library in one program, built as the target says: as C++20, or with -ffast-math.
#include "whole.hpp"

int main() { return whole(); }
