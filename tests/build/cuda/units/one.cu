#include "unit.cuh"

int unit_one() { return use_device(); }
