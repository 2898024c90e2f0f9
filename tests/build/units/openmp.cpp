#include "../whole.hpp"

int unit_openmp() { return whole(); }
