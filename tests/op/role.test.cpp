#include <amphora/op/role.hpp>

namespace amp = amphora;

struct my_role;
static_assert(amp::roles<amp::role::params, my_role>::has<my_role> && amp::roles<amp::role::params, my_role>::has<amp::role::params>);
static_assert(!amp::roles<amp::role::params>::has<my_role> && !amp::roles<>::has<int> && !amp::roles<amp::role::compute>::has<const amp::role::compute>);
