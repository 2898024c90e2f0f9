#include <amphora/error.hpp>              // error
#include <amphora/policy/opt_level.hpp>   // o0, o1, o2, o3
#include <amphora/scale/make_scaler.hpp>  // make_scaler
#include <amphora/scale/preset.hpp>       // preset

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <type_traits>

namespace amp = amphora;

namespace {

struct quick_growth : amp::growth {  // a rule whose numbers travel in a policy's type
  constexpr quick_growth() { growth_interval = 4; }
};
struct by_adding : amp::amend<amp::o1<amp::f16>, amp::loss_scale<amp::dynamic_scale<amp::additive_growth>>> {};
struct by_hand : amp::amend<amp::o1<amp::f16>, amp::loss_scale<amp::static_scale>> {};
struct mixed_quick : amp::amend<amp::o1<amp::f16>, amp::loss_scale<amp::dynamic_scale<quick_growth>>> {};
constexpr amp::growth slow{2, 0.5, 4000, 1024};

using context_type = test_context;
static_assert(std::is_same_v<amp::scale_rule_t<amp::o1<amp::f16>>, amp::growth> && std::is_same_v<amp::scale_rule_t<amp::o2<amp::f16>>, amp::growth>);
static_assert(std::is_same_v<amp::scale_rule_t<amp::o1<amp::bf16>>, amp::fixed> && std::is_same_v<amp::scale_rule_t<amp::o0<>>, amp::fixed>);
static_assert(std::is_same_v<amp::scale_rule_t<by_adding>, amp::additive_growth> && std::is_same_v<amp::scale_rule_t<by_hand>, amp::fixed>);
static_assert(amp::follows_v<amp::o1<amp::f16>, amp::growth> && !amp::follows_v<amp::o1<amp::f16>, amp::additive_growth>);
static_assert(amp::follows_v<amp::o1<amp::f16>, amp::fixed> && !amp::follows_v<amp::o0<>, amp::growth> && !amp::follows_v<amp::o0<>, amp::fixed> && !amp::follows_v<by_hand, int>);

}  // namespace

TEST_CASE("a policy's formats decide the kind of scaler") {
  context_type context;
  amp::scaler dynamic = amp::make_scaler<amp::o1<amp::f16>>(context);
  amp::scaler none = amp::make_scaler<amp::o1<amp::bf16>>(context);
  CHECK(dynamic.wait_scale(context) == 65536);
  CHECK(none.wait_scale(context) == 1);
  CHECK(read_device(context, none.ticket(context).inverse()) == 1);
}

TEST_CASE("a policy's kind and a rule's numbers come together") {
  context_type context;
  CHECK(amp::make_scaler<amp::o1<amp::f16>>(context, amp::preset::megatron()).wait_scale(context) == 4294967296.0f);
  CHECK(amp::make_scaler<by_hand>(context, amp::fixed{128}).wait_scale(context) == 128);
  CHECK(amp::make_scaler<by_adding>(context).wait_scale(context) == 4096);
  CHECK(amp::make_scaler<mixed_quick>(context).rule().growth_interval == 4);
  CHECK(amp::make_scaler<amp::o1<amp::f16>, slow>(context).wait_scale(context) == 1024);
  CHECK_FALSE(amp::make_scaler<amp::o1<amp::f16>>(context, amp::growth{}, false).enabled());
  CHECK_THROWS_WITH_AS((amp::make_scaler<by_hand>(context, amp::fixed{-1})), doctest::Contains("[scale-bounds]"), amp::error);
}

TEST_CASE("without scaling the steps are counted all the same") {
  context_type context;
  amp::scaler scaler = amp::make_scaler<amp::o1<amp::bf16>>(context);
  for (auto result : {amp::step_result::stepped, amp::step_result::skipped}) {
    const device_array<amp::step_record> record(context, {{result, result == amp::step_result::skipped, 0}});
    scaler.update(context, amp::outcome<context_type>(record.data(), scaler.ticket(context)));
  }
  CHECK(scaler.wait_scale(context) == 1);
  CHECK(scaler.wait_state(context).taken == 1);
  CHECK(scaler.wait_state(context).skipped == 1);
}
