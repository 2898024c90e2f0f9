#include <amphora/version.hpp>  // AMPHORA_VERSION_MAJOR, AMPHORA_ABI

#include <doctest/doctest.h>

#include <string>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

TEST_CASE("the namespace carries the version") {
  const std::string version = "v" + std::to_string(AMPHORA_VERSION_MAJOR) + "_" + std::to_string(AMPHORA_VERSION_MINOR);
  CHECK(TEXT(AMPHORA_ABI) == version);  // this test is built with exceptions; tests/build has the other mode
}

TEST_CASE("the version is the package's") {
  CHECK(std::string(AMPHORA_PACKAGE_VERSION) ==
        std::to_string(AMPHORA_VERSION_MAJOR) + "." + std::to_string(AMPHORA_VERSION_MINOR) + "." + std::to_string(AMPHORA_VERSION_PATCH));
}
