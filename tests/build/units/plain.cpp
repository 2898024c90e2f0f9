#include "../whole.hpp"

int unit_plain() { return whole(); }
