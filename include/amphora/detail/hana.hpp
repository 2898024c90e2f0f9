// The parts of Boost.Hana that iterate heterogeneous lists. It does not compile where I, min or max is a macro.
#pragma once
#pragma push_macro("I")
#pragma push_macro("min")
#pragma push_macro("max")
#pragma push_macro("small")
#undef I
#undef min
#undef max
#undef small
#include <boost/hana/fold_left.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#pragma pop_macro("small")
#pragma pop_macro("max")
#pragma pop_macro("min")
#pragma pop_macro("I")
