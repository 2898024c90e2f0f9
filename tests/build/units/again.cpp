#include "../whole.hpp"

int unit_again() { return whole(); }
