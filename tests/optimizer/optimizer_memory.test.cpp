#include <amphora/optimizer/adamw.hpp>             // adamw
#include <amphora/optimizer/kernels.hpp>           // step_tables
#include <amphora/optimizer/lamb.hpp>              // lamb
#include <amphora/optimizer/optimizer_memory.hpp>  // optimizer_memory

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace amp = amphora;
using amp::detail::optimizer_memory;

namespace {
struct list {
  device_array<float> w, s;
  explicit list(test_context& context) : w(context, 10000), s(context, 200) {}
  std::vector<amp::parameter_view> views() {
    return {{w.data(), nullptr, nullptr, nullptr, 5000}, {w.data() + 5000, nullptr, nullptr, s.data(), 100}, {w.data() + 5100, nullptr, nullptr, nullptr, 17}};
  }
};
}  // namespace

TEST_CASE_TEMPLATE("tables are as long as groups, parameters and chunks, and hold state for who brought none", Rule, amp::adamw, amp::lamb) {
  test_context context;
  list three(context);
  optimizer_memory<Rule, test_context> memory(context, three.views(), 2);
  constexpr std::int64_t sums = amp::rule_traits<Rule>::needs_norms ? 2 : 1;
  CHECK(memory.state.size() == 2 * (5008 + 32));  // whole cache lines of 16 floats
  CHECK(memory.rules.size() == 2);
  CHECK(memory.rates.size() == 2);
  for (auto size : {memory.steps.size(), memory.scalars.size(), memory.nows.size()}) CHECK(size == 3);
  CHECK(memory.trusts.size() == (sums == 2 ? 3 : 0));
  CHECK(memory.partial.size() == (2 + 1 + 1) * sums);  // chunks of 4096
}

TEST_CASE_TEMPLATE("the bytes said beforehand are those of the arrays and of the device's tables", Rule, amp::adamw, amp::lamb) {
  test_context context;
  list three(context);
  optimizer_memory<Rule, test_context> memory(context, three.views(), 2);
  using tables = amp::detail::step_tables<test_context>;
  const auto bytes = [](const auto& array) { return tables::taken(array.size() * static_cast<std::int64_t>(sizeof *array.data())); };  // in whole blocks of the context
  CHECK(memory.bytes(three.views(), 2) == bytes(memory.state) + bytes(memory.facts) + bytes(memory.record) + bytes(memory.counters) + bytes(memory.rules) + bytes(memory.rates) +
                                              bytes(memory.steps) + bytes(memory.scalars) + bytes(memory.nows) + bytes(memory.trusts) + bytes(memory.partial) +
                                              tables::bytes(three.views()));  // what the device keeps beside them
}

TEST_CASE("a step's tables are these arrays, wherever their owner moves") {
  test_context context;
  list three(context);
  optimizer_memory<amp::lamb, test_context> memory(context, three.views(), 1);
  const auto before = memory.tables();
  auto moved = std::move(memory);
  const auto after = moved.tables();
  CHECK(after.facts == moved.facts.data());
  CHECK(after.record == before.record);
  CHECK(after.counters == before.counters);
  CHECK(after.rules == before.rules);
  CHECK(after.rates == before.rates);
  CHECK(after.steps == before.steps);
  CHECK(after.scalars == before.scalars);
  CHECK(after.nows == before.nows);
  CHECK(after.trusts == moved.trusts.data());
}
