#include <amphora/policy/dispatch.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0 … o3
#include <amphora/policy/weights.hpp>    // params_t

#include <doctest/doctest.h>

#include <string>  // string

namespace amp = amphora;

struct mixed : amp::policy<amp::compute<amp::f16>> {};
namespace layer { struct head; }
template <class Policy> struct network : amp::plan<Policy, amp::at<layer::head, amp::o0<>>> {};

static_assert(amp::dispatch_index<amp::o0<>, amp::o1<>, amp::o2<>>("O1") == 1 && amp::dispatch_index<amp::o0<>, amp::o1<>>("o2") == -1);
static_assert(amp::dispatch_index<amp::o1<>, amp::o3<>>(3) == 1 && amp::dispatch_index<amp::o1<>, amp::o3<>>(0) == -1);  // levels by their level
static_assert(amp::dispatch_index<mixed, amp::o3<>>(1) == 1 && amp::dispatch_index<mixed, amp::o3<>>(2) == -1 && amp::dispatch_index<mixed>(-1) == -1);  // else by position
static_assert(amp::dispatch_index<amp::o1<>, amp::o1<amp::bf16>>("O1") == -2 && amp::dispatch_index<amp::o1<>, amp::o1<amp::bf16>>(1) == -2);

struct bits {
  template <class Policy> int operator()(Policy) const { return amp::bits_v<amp::params_t<Policy, amp::op::linear>>; }
};
struct name {
  template <class Policy> const char* operator()(Policy) const { return amp::display_name_v<Policy>; }
};
template <class... Policies, class Which> std::string complaint(Which which) {
  try {
    amp::dispatch<Policies...>(which, name{});
  } catch (const amp::error& error) {
    CHECK(std::string(error.rule()) == "unknown-policy");
    return error.what();
  }
  return "";
}

TEST_CASE("a command line's word picks one of a closed list of policies") {
  const auto pick = [](const char* word) { return amp::dispatch<amp::o0<>, amp::o1<>, amp::o1<amp::bf16>, amp::o2<>, mixed>(word, name{}); };
  CHECK(std::string(pick("O0")) == "o0<>");
  CHECK(std::string(pick("o2")) == "o2<f16>");
  CHECK(std::string(pick("O1-bf16")) == "o1<bf16>");
  CHECK(std::string(pick("o1 f16")) == "o1<f16>");
  CHECK(std::string(pick("o1<bf16>")) == "o1<bf16>");
  CHECK(std::string(pick("mixed")) == "mixed");
}

TEST_CASE("a number picks a level, and the function's value comes back") {
  CHECK(amp::dispatch<amp::o0<>, amp::o1<>, amp::o2<>>(2, bits{}) == 16);
  CHECK(amp::dispatch<amp::o2<>, amp::o0<>>(0, bits{}) == 32);
  int visited = 0;
  amp::dispatch<amp::o0<>, amp::o3<>>(3, [&](auto policy) { visited = decltype(policy)::opt_level; });  // void
  CHECK(visited == 3);
}

TEST_CASE("a plan is called by the level of its default policy, or by its own name") {
  CHECK(std::string(amp::dispatch<network<amp::o0<>>, network<amp::o2<>>>("O2", name{})) == "network<o2<f16>>");
  CHECK(std::string(amp::dispatch<network<amp::o0<>>, network<amp::o2<>>>("network<o0<>>", name{})) == "network<o0<>>");
}

TEST_CASE("an unknown or ambiguous choice is an error that says which there are") {
  CHECK(complaint<amp::o0<>, amp::o1<>>("O7") == "amphora [unknown-policy]: no policy is called 'O7' here; choose one of o0<>, o1<f16>");
  CHECK(complaint<amp::o1<>, amp::o1<amp::bf16>>("O1") == "amphora [unknown-policy]: several policies are called 'O1'; choose one of o1<f16>, o1<bf16>");
  CHECK(complaint<amp::o0<>, amp::o1<>>(2) == "amphora [unknown-policy]: no policy has the number 2 here; choose one of o0<>, o1<f16>");
  CHECK(complaint<amp::o1<>, amp::o1<amp::bf16>>(1).find("several policies have the number 1") != std::string::npos);
  for (const char* word : {"", "O", "O1-", "O1-f32", "O10", "1", "O1_bf16 ", "o"}) CHECK(complaint<amp::o0<>, amp::o1<>>(word) != "");
}
