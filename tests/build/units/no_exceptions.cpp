#include "../whole.hpp"

int unit_no_exceptions() { return whole(); }

#include <cstdlib>

[[noreturn]] void amphora::on_error(const error_info&) { std::abort(); }
