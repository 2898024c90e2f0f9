// typical_step.cpp on a CUDA device: another context, and nothing else.
#define RECIPE_ON_CUDA
#include "typical_step.cpp"
