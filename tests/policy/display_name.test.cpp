#include <amphora/policy/display_name.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o1

#include <doctest/doctest.h>

#include <string>  // string

namespace amp = amphora;

namespace net::layer { struct head; template <class> struct block {}; template <int> struct sized {}; struct named { static constexpr const char* name = "own name"; }; struct renamed; }
namespace { struct hidden {}; }
template <> struct amphora::display_name<net::layer::renamed> { static constexpr const char* value = "classifier"; };

TEST_CASE("a name is as in the source, without scopes, on every compiler") {
  using namespace net::layer;
  struct local {};
  const auto of = [](const char* name) { return std::string(name); };
  CHECK(of(amp::display_name_v<head>) == "head");  // a declaration is enough
  CHECK(of(amp::display_name_v<hidden>) == "hidden");
  CHECK(of(amp::display_name_v<local>) == "local");
  CHECK(of(amp::display_name_v<block<head>>) == "block<head>");
  CHECK(of(amp::display_name_v<block<block<hidden>>>) == "block<block<hidden>>");
  CHECK(of(amp::display_name_v<sized<3>>) == "sized<3>");
  CHECK(of(amp::display_name_v<unsigned long>).find("long") != std::string::npos);
  CHECK(of(amp::display_name_v<amp::op::softmax>) == "softmax");
  CHECK(of(amp::display_name_v<amp::o0<>>) == "o0<>");
  CHECK(of(amp::display_name_v<amp::o1<>>) == "o1<f16>");  // default arguments too
  CHECK(of(amp::display_name_v<amp::o2<amp::bf16, amp::op_lists<false>>>) == "o2<bf16, op_lists<false>>");
}

TEST_CASE("a type may name itself, and anyone may name it from outside") {
  CHECK(std::string(amp::display_name_v<net::layer::named>) == "own name");
  CHECK(std::string(amp::display_name_v<amp::f16>) == "f16");
  CHECK(std::string(amp::display_name_v<net::layer::renamed>) == "classifier");
  CHECK(std::string(amp::display_name_v<net::layer::block<net::layer::renamed>>) == "block<classifier>");
}
