#include <amphora/error.hpp>                  // error
#include <amphora/scale/additive_growth.hpp>  // additive_growth
#include <amphora/scale/fixed.hpp>            // fixed
#include <amphora/scale/preset.hpp>           // preset
#include <amphora/scale/state_text.hpp>       // write_state, read_state

#include "patterns.hpp"  // run

#include <doctest/doctest.h>

#include <clocale>
#include <string>

namespace amp = amphora;

namespace {

template <class Rule>
std::string text_of(const Rule& rule, const amp::scale_state& state, bool enabled = true) {
  std::string result;
  const auto sink = [&](const char* part, std::size_t size) { result.append(part, size); };
  amp::detail::write_state(sink, rule, state, enabled);
  return result;
}
template <class Rule>
bool read(const std::string& text, Rule& rule, amp::scale_state& state) { return amp::detail::read_state(text.data(), text.size(), rule, state); }

template <class Rule>
void comes_back(const Rule& rule) {
  for (const auto& state : scaling::run(rule, "FFIFFFFFIIFFFFFFIFIFFFFF")) {
    const std::string text = text_of(rule, state);
    Rule other{};
    amp::scale_state same;
    CHECK(read(text, other, same));
    CHECK(same == state);
    CHECK(text_of(other, same) == text);
    CHECK(text.size() < amp::max_state_text);
  }
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("B04: rule and state come back exactly, after every step, for every rule") {
  comes_back(amp::growth{});
  comes_back(amp::growth{3.3, 0.7, 4, 0.1f});
  amp::growth all = amp::preset::mxnet();
  all.growth_interval = 3, all.hysteresis = 2, all.refill = amp::refill::on_clean_step, all.tolerance = 0.3, all.floor = 0.125f;
  comes_back(all);
  comes_back(amp::preset::metaseq());
  comes_back(amp::preset::deepspeed());
  comes_back(amp::preset::flashlight());
  comes_back(amp::fixed{0.3f});
  comes_back(amp::growth{2, 0.5, 1, amp::smallest_scale});
  comes_back(amp::growth{2, 0.5, 1, amp::largest_scale});
}

TEST_CASE("a saved state is JSON with PyTorch's five keys, whatever the locale") {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const amp::growth rule{2.5, 0.5, 7, 3.5f};
  const auto json = nlohmann::json::parse(text_of(rule, scaling::run(rule, "FFF").back()));
  std::setlocale(LC_ALL, "C");
  CHECK(json["scale"] == 3.5);
  CHECK(json["scale"].is_number_float());
  CHECK(json["growth_factor"] == 2.5);
  CHECK(json["backoff_factor"] == 0.5);
  CHECK(json["growth_interval"] == 7);
  CHECK(json["_growth_tracker"] == 3);
  CHECK(json["scale_bits"] == "40600000");
  CHECK(json["enabled"] == true);
}

TEST_CASE("PyTorch 10: PyTorch's own state is read") {
  amp::growth rule{7, 0.8, 1, 6};
  amp::scale_state state;
  CHECK(read(R"({"scale": 3.0, "growth_factor": 4.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})", rule, state));
  CHECK(state.scale == 3);
  CHECK(rule.growth_factor == 4);
  CHECK(rule.backoff_factor == 0.5);
  CHECK(rule.growth_interval == 2);
  CHECK(state.clean == 0);
  CHECK(rule.allows(state));
}

TEST_CASE("B04: a text that is cut at any byte, or goes on, is refused") {
  const amp::growth rule;
  const std::string text = text_of(rule, rule.start());
  for (std::size_t size = 0; size < text.size(); ++size) {
    amp::growth other;
    amp::scale_state state;
    CHECK_THROWS_WITH_AS(read(text.substr(0, size), other, state), doctest::Contains("amphora [state]: load"), amp::error);
  }
  amp::growth other;
  amp::scale_state state;
  CHECK_THROWS_AS(read(text + "x", other, state), amp::error);
  CHECK_THROWS_AS(read(text + text, other, state), amp::error);
  CHECK(read("\n " + text + " \n", other, state));
}

TEST_CASE("B04: any one bit changed is refused, unless it is blank space or the letter of an exponent") {
  amp::growth rule{2, 0.5, 4};
  const std::string text = text_of(rule, scaling::run(rule, "FFF").back());
  for (std::size_t i = 0; i < text.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string broken = text;
      broken[i] = static_cast<char>(broken[i] ^ (1 << bit));
      if ((text[i] == ' ' || text[i] == '\n') && (broken[i] == ' ' || broken[i] == '\n' || broken[i] == '\t' || broken[i] == '\r')) continue;
      if (text[i] == 'e' && broken[i] == 'E' && text[i + 1] >= '+' && text[i + 1] <= '-') continue;
      amp::growth other;
      amp::scale_state state;
      CAPTURE(broken);
      CHECK_THROWS_AS(read(broken, other, state), amp::error);
    }
}

TEST_CASE("a state that is foreign, of another rule or version, lacks a key or has one too many is refused") {
  const amp::growth rule;
  const std::string text = text_of(rule, rule.start());
  amp::growth other;
  amp::scale_state state;
  amp::fixed fixed;
  CHECK_THROWS_WITH_AS(read(text, fixed, state), doctest::Contains("another rule"), amp::error);
  CHECK_THROWS_WITH_AS(read(replaced(text, "\"amphora_scaler\": 1", "\"amphora_scaler\": 2"), other, state), doctest::Contains("another version"), amp::error);
  CHECK_THROWS_WITH_AS(read("{}", other, state), doctest::Contains("disabled"), amp::error);
  CHECK_THROWS_AS(read(replaced(text, "\"hysteresis\": 1,", ""), other, state), amp::error);
  CHECK_THROWS_AS(read(replaced(text, "\"hysteresis\": 1,", "\"hysteresis\": 1, \"more\": 1,"), other, state), amp::error);
  CHECK_THROWS_AS(read(replaced(text, "\"hysteresis\": 1,", "\"hysteresis\": 1, \"hysteresis\": 1,"), other, state), amp::error);
  CHECK_THROWS_AS(read(R"({"lr": 0.1, "momentum": 0.9})", other, state), amp::error);
  CHECK_THROWS_AS(read(R"({"scale": 3.0, "growth_factor": 4.0, "backoff_factor": 0.5, "growth_interval": 2})", other, state), amp::error);
  CHECK_THROWS_AS(read(R"({"scale": 3.0, "growth_factor": 4.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0, "own": 1})", other, state), amp::error);
  CHECK_THROWS_AS(read("[1, 2]", other, state), amp::error);
  CHECK_THROWS_AS(read(R"({"scale": [3.0]})", other, state), amp::error);
}

TEST_CASE("an impossible state is refused, though it is whole") {
  const amp::growth rule{2, 0.5, 4};
  const auto refused = [&](auto change) {
    amp::growth r = rule;
    amp::scale_state s = rule.start();
    change(r, s);
    amp::growth other;
    amp::scale_state state;
    CHECK_THROWS_WITH_AS(read(text_of(r, s), other, state), doctest::Contains("amphora [state]"), amp::error);
  };
  refused([](auto&, auto& s) { s.scale = s.upcoming = 0; });
  refused([](auto&, auto& s) { s.scale = s.upcoming = -4; });
  refused([](auto&, auto& s) { s.scale = s.upcoming = 1e38f; });
  refused([](auto&, auto& s) { s.clean = 4; });
  refused([](auto&, auto& s) { s.clean = -1; });
  refused([](auto&, auto& s) { s.taken = -1; });
  refused([](auto&, auto& s) { s.hysteresis = 2; });
  refused([](auto&, auto& s) { s.gave_up = 2; });
  refused([](auto&, auto& s) { s.upcoming = 4; });
  refused([](auto& r, auto&) { r.growth_factor = 1; });
  refused([](auto& r, auto&) { r.backoff_factor = 0; });
  refused([](auto& r, auto&) { r.growth_interval = 0; });
  refused([](auto& r, auto&) { r.floor = 131072; });
  for (const char* torch : {R"({"scale": 0.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})",
                            R"({"scale": Infinity, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})",
                            R"({"scale": NaN, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})",
                            R"({"scale": 1e400, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})",
                            R"({"scale": 4.0, "growth_factor": 1.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})",
                            R"({"scale": 4.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 2})",
                            R"({"scale": "4.0", "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})"}) {
    amp::growth other;
    amp::scale_state state;
    CHECK_THROWS_WITH_AS(read(torch, other, state), doctest::Contains("amphora [state]"), amp::error);
  }
}
