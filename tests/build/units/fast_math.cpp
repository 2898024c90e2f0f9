#include "../whole.hpp"

int unit_fast_math() { return whole(); }
