#include <amphora/detail/text.hpp>   // text
#include <amphora/error.hpp>         // error, fail
#include <amphora/tensor/shape.hpp>  // shape

#include <doctest/doctest.h>

#include <clocale>  // setlocale
#include <cstring>  // strlen
#include <string>

namespace amp = amphora;

namespace {

template <class... Parts> std::string message(const Parts&... parts) {
  try {
    amp::detail::fail("shape", parts...);
  } catch (const amp::error& e) {
    CHECK(std::string(e.rule()) == "shape");
    return e.what();
  }
}

}  // namespace

TEST_CASE("an error says its rule and what is wrong, numbers and shapes included") {
  CHECK(message("cannot view ", amp::shape{64, 10}, " as ", amp::shape{}) == "amphora [shape]: cannot view [64, 10] as []");
  CHECK(message(-9223372036854775807 - 1, ' ', 18446744073709551615u, ' ', true) == "amphora [shape]: -9223372036854775808 18446744073709551615 true");
  CHECK(message(0.1f, " and ", 0.1, " and ", 1e300) == "amphora [shape]: 0.1 and 0.1 and 1e+300");
}

TEST_CASE("an error is caught as std::exception, and a copy keeps its text") {
  try {
    amp::detail::fail("size", "too many");
  } catch (const std::exception& e) {
    const amp::error copy = static_cast<const amp::error&>(e);
    CHECK(std::string(copy.what()) == "amphora [size]: too many");
  }
}

TEST_CASE("a message that is too long is cut between two characters") {
  const std::string filler(505, 'x');
  const amp::detail::text fits(filler.c_str(), "abcdef"), cut(filler.c_str(), "abcdefg"), in_two(filler.c_str(), "abcdeé"), three(filler.c_str(), "abcd→");
  CHECK(fits.size() == 511);
  CHECK(std::string(cut.c_str()) == filler + "abcdef");
  CHECK(std::string(in_two.c_str()) == filler + "abcde");
  CHECK(std::string(three.c_str()) == filler + "abcd");
  CHECK(std::strlen(three.c_str()) == three.size());
}

TEST_CASE("a message does not follow the locale") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"})
    if (std::setlocale(LC_ALL, name)) CHECK(message(1234.5) == "amphora [shape]: 1234.5");
  std::setlocale(LC_ALL, before.c_str());
}
