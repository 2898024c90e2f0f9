// Eigen's arrays and products, whatever macros came before: <complex.h> has one named I, Windows' headers one named small.
#pragma once

#pragma push_macro("I")
#pragma push_macro("small")
#undef I
#undef small
#include <Eigen/Core>
#pragma pop_macro("small")
#pragma pop_macro("I")
