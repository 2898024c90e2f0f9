#include "unit.cuh"

int unit_two() { return use_device(); }
