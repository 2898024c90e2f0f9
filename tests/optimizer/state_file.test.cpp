#include <amphora/optimizer/state_file.hpp>

#include <amphora/op/contraction.hpp>
#include <amphora/op/normalization.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/sgd.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/scale/make_scaler.hpp>
#include <amphora/tensor/parameter.hpp>
#include <amphora/tensor/tied_parameter.hpp>

#include "state_run.hpp"

#include <device.hpp>  // test_context, device_array
#include <doctest/doctest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using namespace amphora;
using state_run::bytes, state_run::folder, state_run::load_weights, state_run::read, state_run::run;

namespace outside {
/// A rule with a number of its own and no names for anything, and one that shares a name with adamw.
struct counting {
  float learning_rate = 0.5f;
  static constexpr int states = 1;
  struct scalars { std::int32_t taken = 7; };
  struct now { real size; };
  AMPHORA_HD now at(float lr, std::int64_t, scalars& own) const { return {lr * static_cast<float>(++own.taken)}; }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const { s[0] = s[0] + g, w = w - n.size * s[0]; }
};
struct posing : counting {
  static constexpr const char* name = "adamw";
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) { visit("learning_rate", rule.learning_rate); }
};
}  // namespace outside

namespace {

/// The slug of what f raises, or "".
template <class F> std::string refusal(F f) {
  try {
    f();
  } catch (const error& e) {
    return e.rule();
  }
  return "";
}
template <class F> std::string message(F f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

template <class T> std::vector<float> floats(test_context& context, const view<const T>& numbers) {
  std::vector<float> result;
  for (const T& x : wait_read(context, numbers)) result.push_back(static_cast<float>(x));
  return result;
}

}  // namespace

TEST_CASE("what is saved and loaded is saved again in the same bytes, and the run goes on bit by bit") {
  folder here;
  run<> first;
  first.load_weights();
  for (int k = 0; k < 9; ++k) first.step(k);
  first.save(here.file("a"));
  run<> second;  // weights, moments, counters and scale of another kind altogether
  second.load(here.file("a"));
  second.save(here.file("b"));
  REQUIRE(read(here.file("a")).size() > 1000);
  CHECK(read(here.file("a")) == read(here.file("b")));
  CHECK(second.epoch == 9);
  CHECK(second.optimizer.wait_taken(second.context) == 7);
  CHECK(second.optimizer.wait_skipped(second.context) == 2);
  for (int k = 9; k < 14; ++k) first.step(k), second.step(k);
  first.save(here.file("a")), second.save(here.file("b"));
  CHECK(read(here.file("a")) == read(here.file("b")));
  run<> other;
  other.load_weights();
  other.step(1);
  other.save(here.file("b"));
  CHECK(read(here.file("a")) != read(here.file("b")));
}

TEST_CASE("equal states give equal files: nothing in them depends on time, place or memory") {
  folder here;
  run<> first, second;
  for (auto* r : {&first, &second}) {
    r->load_weights();
    for (int k = 0; k < 3; ++k) r->step(k);
  }
  first.save(here.file("a"));
  std::filesystem::create_directories(here.path / "deeper");
  second.save(here.file("deeper/b"));
  CHECK(read(here.file("a")) == read(here.file("deeper/b")));
}

TEST_CASE("a file cut at any byte is refused, and nothing is changed") {
  folder here;
  run<> saved_run, victim;
  saved_run.load_weights(), victim.load_weights();
  for (int k = 0; k < 5; ++k) saved_run.step(k);
  saved_run.save(here.file("whole"));
  victim.step(0);
  victim.save(here.file("before"));
  const bytes whole = read(here.file("whole"));
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    refused += refusal([&] { victim.load(cut); }) == "state";
    if (size % 128 != 0) continue;
    state_run::write(here.file("cut"), cut);
    CHECK(refusal([&] { victim.load(here.file("cut")); }) == "state");
  }
  CHECK(refused == whole.size());
  bytes longer = whole;
  longer.push_back(0);
  state_run::write(here.file("cut"), longer);
  CHECK(refusal([&] { victim.load(here.file("cut")); }) == "state");
  CHECK(refusal([&] { victim.load(here.file("none")); }) == "state");
  victim.save(here.file("after"));
  CHECK(read(here.file("before")) == read(here.file("after")));
  victim.load(here.file("whole"));
  CHECK(victim.epoch == 5);
}

TEST_CASE("a file with any bit flipped is refused, and nothing is changed") {
  folder here;
  run<> saved_run, victim;
  saved_run.load_weights(), victim.load_weights();
  for (int k = 0; k < 2; ++k) saved_run.step(k);
  saved_run.save(here.file("whole"));
  victim.save(here.file("before"));
  bytes content = read(here.file("whole"));
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    content[bit / 8] = static_cast<unsigned char>(content[bit / 8] ^ 1 << bit % 8);
    refused += refusal([&] { victim.load(content); }) == "state";
    content[bit / 8] = static_cast<unsigned char>(content[bit / 8] ^ 1 << bit % 8);
  }
  CHECK(refused == 8 * content.size());
  victim.save(here.file("after"));
  CHECK(read(here.file("before")) == read(here.file("after")));
}

TEST_CASE("a file that contradicts itself is refused though its checksums are right") {
  folder here;
  test_context context;
  std::int64_t number = 5;
  bool flag = false;
  const auto attempt = [&](auto spoil) {
    detail::state_image image;
    const std::int64_t seven = 7;
    std::memcpy(image.add("number", detail::state_type::i64, shape()), &seven, 8);
    *image.add("flag", detail::state_type::boolean, shape()) = 1;
    spoil(image);
    image.finish();
    detail::write_atomically(here.file("x").c_str(), image.preamble, image.directory, image.data);
    return refusal([&] { load_state(context, here.file("x").c_str(), saved("number", number), saved("flag", flag)); });
  };
  for (int extra : {1, 1000000}) CHECK(attempt([&](auto& image) { image.count += static_cast<std::uint32_t>(extra); }) == "state");
  CHECK(attempt([](auto& image) { --image.count; }) == "state");
  CHECK(attempt([](auto& image) { image.data.pop_back(); }) == "state");
  CHECK(attempt([](auto& image) { image.data.back() = 2; }) == "state");          // no bool
  CHECK(attempt([](auto& image) { image.directory[0] = 200; }) == "state");       // a name past the end
  CHECK(attempt([](auto& image) { image.directory[8] = 99; }) == "state");        // no such type
  CHECK(attempt([](auto& image) { image.directory[9] = 8; }) == "state");         // eight axes out of what follows
  CHECK(attempt([](auto& image) {
          image.directory[9] = 2;  // [2^40, 2^40]: more than there can be
          bytes extents(16);
          extents[5] = extents[13] = 1;
          image.directory.insert(image.directory.begin() + 10, extents.begin(), extents.end());
        }) == "state");
  CHECK(attempt([](auto& image) {
          image.directory[9] = 1;  // a negative extent
          image.directory.insert(image.directory.begin() + 10, 8, 255);
        }) == "state");
  CHECK(number == 5);
  CHECK(!flag);
  CHECK(attempt([](auto&) {}) == "");
  CHECK(number == 7);
  CHECK(flag);
}

TEST_CASE("another rule, setting, name, shape, format or list is refused by name, and nothing is changed") {
  folder here;
  run<adamw> first;
  first.load_weights();
  first.step(0);
  first.save(here.file("a"));
  const auto expect = [&](auto& other, const char* part) {
    other.save(here.file("before"));
    const std::string said = message([&] { other.load(here.file("a")); });
    CHECK(said.find("amphora [state]: ") == 0);
    CAPTURE(said);
    CHECK(said.find(part) != std::string::npos);
    other.save(here.file("after"));
    CHECK(read(here.file("before")) == read(here.file("after")));
  };
  run<sgd> rule;
  expect(rule, "optimizer/rule = adamw, which is sgd here");
  run<outside::posing> settings;
  expect(settings, "holds 'optimizer/group 0/beta1' (f64 []) where optimizer/taken");
  run<adamw> name({}, "weight");
  expect(name, "optimizer/0/weight/steps");
  run<adamw> size({}, "w", {3, 2});
  expect(size, "'optimizer/0/w/master' (f32 [2, 3]), which is f32 [3, 2] here");

  test_context context;
  parameter<o1<bf16>, op::linear, test_context> w{context, "w", {2, 3}};
  mixed_optimizer<adamw, test_context> shorter{context, adamw{}, {w.view()}};
  auto scale = make_scaler<o1<f16>>(context);
  std::int64_t epoch = 0;
  CHECK(message([&] { load_state(context, here.file("a").c_str(), shorter, scale, saved("epoch", epoch)); }).find("optimizer/parameters = 3, which is 1 here") != std::string::npos);
  parameter<o1<f16>, op::layer_norm, test_context> gain{context, "gain", {5}};
  parameter<o3<bf16>, op::linear, test_context> low{context, "low", {3}};
  mixed_optimizer<adamw, test_context> format{context, adamw{}, {w.view(), gain.view(), low.view()}};
  CHECK(message([&] { load_state(context, here.file("a").c_str(), format, scale, saved("epoch", epoch)); }).find("'optimizer/0/w/model' (f16 [2, 3]), which is bf16 [2, 3] here") != std::string::npos);
  mixed_optimizer<adamw, test_context> groups{context, std::vector<adamw>(2), {w.view(), gain.view(), low.view()}};
  CHECK(message([&] { load_state(context, here.file("a").c_str(), groups, scale, saved("epoch", epoch)); }).find("optimizer/groups = 1, which is 2 here") != std::string::npos);

  run<adamw> items;
  const std::string path = here.file("a");
  CHECK(message([&] { load_state(items.context, path.c_str(), items.optimizer, items.scale); }).find("holds more: 'epoch' (i64 [])") != std::string::npos);
  CHECK(message([&] { load_state(items.context, path.c_str(), items.optimizer, items.scale, saved("epoch", epoch), saved("seed", epoch)); }).find("ends where seed (i64 []) was expected") !=
        std::string::npos);
  CHECK(message([&] { load_state(items.context, path.c_str(), items.scale, items.optimizer, saved("epoch", epoch)); }).find("where scaler/state") != std::string::npos);
  std::int32_t narrow = 0;
  CHECK(message([&] { load_state(items.context, path.c_str(), items.optimizer, items.scale, saved("epoch", narrow)); }).find("'epoch' (i64 []), which is i32 [] here") != std::string::npos);
  CHECK(items.optimizer.wait_taken(items.context) == 0);
  CHECK(epoch == 0);
}

TEST_CASE("a file of another version says so") {
  folder here;
  test_context context;
  int number = 1;
  wait_save_state(context, here.file("a").c_str(), saved("number", number));
  bytes content = read(here.file("a"));
  content[8] = 2;
  state_run::write(here.file("a"), content);
  CHECK(message([&] { load_state(context, here.file("a").c_str(), saved("number", number)); }).find("is of version 2; this library reads version 1") != std::string::npos);
  state_run::write(here.file("a"), {'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(message([&] { load_state(context, here.file("a").c_str(), saved("number", number)); }).find("is not a state file") != std::string::npos);
}

TEST_CASE("a scaler that cannot load stops the whole load") {
  folder here;
  run<> first, pending;
  first.load_weights(), pending.load_weights();
  first.step(0);
  first.save(here.file("a"));
  pending.save(here.file("before"));
  {
    auto scaled_loss = pending.scale.scale(pending.context, pending.loss);
    CHECK(refusal([&] { pending.load(here.file("a")); }) == "pending-gradients");
  }
  CHECK(pending.epoch == 0);
  CHECK(pending.optimizer.wait_taken(pending.context) == 0);
  CHECK(wait_read(pending.context, pending.w.master())[0] == 0.5f);
}

TEST_CASE("B04: the scale and its clean steps go on where they were") {
  folder here;
  test_context context;
  growth rule;
  rule.initial_scale = 1024, rule.growth_interval = 4;
  scaler<test_context> first{context, rule}, second{context};
  parameter<o0<>, op::linear, test_context> w{context, "w", {1}};
  mixed_optimizer<sgd, test_context> optimizer{context, sgd{}, {w.view()}};
  const device_array<float> loss(context, {1});
  const auto update = [&](scaler<test_context>& s) {
    auto scaled_loss = s.scale(context, loss.view());
    s.update(context, optimizer.step(context, scaled(optimizer.gradients(), scaled_loss.ticket())));
  };
  for (int k = 0; k < 3; ++k) update(first);
  wait_save_state(context, here.file("a").c_str(), first);
  load_state(context, here.file("a").c_str(), second);
  update(second);
  CHECK(second.wait_scale(context) == 2048);
  CHECK(second.wait_state(context).clean == 0);
}

TEST_CASE("B34: that sgd's buffer is filled is saved for each parameter") {
  folder here;
  sgd rule;
  rule.learning_rate = 0.1f, rule.momentum = 0.9, rule.dampening = 0.5;
  test_context context;
  parameter<o0<>, op::linear, test_context> a{context, "a", {1}}, b{context, "b", {1}};
  load_weights(context, a, {1}), load_weights(context, b, {1});
  mixed_optimizer<sgd, test_context> first{context, rule, {a.view(), b.view()}};
  for (auto* x : {&a, &b}) amphora::write(context, std::vector<float>{1}, x->gradient());
  std::vector<gradient_view> only_a = {first.gradients()[0], gradient_view()};
  CHECK(first.step(context, only_a).wait_result(context) == step_result::stepped);
  wait_save_state(context, here.file("a").c_str(), first);
  mixed_optimizer<sgd, test_context> second{context, rule, {a.view(), b.view()}};
  load_state(context, here.file("a").c_str(), second);
  CHECK(second.wait_step_count(context, 0) == 1);
  CHECK(second.wait_step_count(context, 1) == 0);
  CHECK(second.step(context, second.gradients()).wait_result(context) == step_result::stepped);
  CHECK(wait_read(context, a.master())[0] == doctest::Approx(0.76).epsilon(1e-7));  // its second step
  CHECK(wait_read(context, b.master())[0] == doctest::Approx(0.9).epsilon(1e-7));   // its first
}

TEST_CASE("settings come with the file, those of each group") {
  folder here;
  test_context context;
  parameter<o0<>, op::linear, test_context> a{context, "a", {1}}, b{context, "b", {1}};
  adamw slow;
  slow.learning_rate = 1e-5f, slow.beta2 = 0.95;
  mixed_optimizer<adamw, test_context> first{context, std::vector<adamw>{adamw{}, slow}, {a.view(0), b.view(1)}};
  first.set_learning_rate(context, 0, 0.25f);
  first.set_seed(99);
  wait_save_state(context, here.file("a").c_str(), first);
  mixed_optimizer<adamw, test_context> second{context, std::vector<adamw>(2), {a.view(0), b.view(1)}};
  load_state(context, here.file("a").c_str(), second);
  CHECK(second.rule(0).learning_rate == 0.25f);
  CHECK(second.rule(1).learning_rate == 1e-5f);
  CHECK(second.rule(1).beta2 == 0.95);
  CHECK(second.rule(0).beta2 == 0.999);
  CHECK(second.seed() == 99);
  for (auto* x : {&a, &b}) amphora::write(context, std::vector<float>{1}, x->gradient());
  CHECK(second.step(context, second.gradients()).wait_result(context) == step_result::stepped);
  CHECK(wait_read(context, a.master())[0] == doctest::Approx(-0.25).epsilon(1e-6));  // the device has them too
  CHECK(wait_read(context, b.master())[0] == doctest::Approx(-1e-5).epsilon(1e-6));
}

TEST_CASE("a rule of the user's own keeps its numbers") {
  folder here;
  test_context context;
  parameter<o0<>, op::linear, test_context> w{context, "w", {1}};
  mixed_optimizer<outside::counting, test_context> first{context, outside::counting{}, {w.view()}};
  amphora::write(context, std::vector<float>{1}, w.gradient());
  for (int k = 0; k < 2; ++k) CHECK(first.step(context, first.gradients()).wait_result(context) == step_result::stepped);
  first.set_learning_rate(context, 2);
  wait_save_state(context, here.file("a").c_str(), first);
  mixed_optimizer<outside::counting, test_context> second{context, outside::counting{}, {w.view()}};
  load_state(context, here.file("a").c_str(), second);
  CHECK(second.wait_scalars(context, 0).taken == 9);
  CHECK(second.rule().learning_rate == 2);
}

TEST_CASE("frozen and tied parameters, weights without a master, arrays of host and device, several optimizers") {
  folder here;
  test_context context;
  parameter<o2<f16>, op::linear, test_context> frozen{context, "frozen", {2}, training::frozen}, alone{context, "alone", {2}};
  tied_parameter<o1<f16>, test_context, op::linear, op::layer_norm> tied{context, "tied", {2}};
  const auto load_all = [&](const std::vector<float>& weights) { load_weights(context, frozen, weights), load_weights(context, alone, weights), load_weights(context, tied, weights); };
  load_all({1.5f, 2.5f});
  mixed_optimizer<adamw, test_context> a{context, adamw{}, {frozen.view(), tied.view()}};
  mixed_optimizer<sgd, test_context> b{context, sgd{}, {alone.view()}};
  tensor<bfloat16, test_context> average{context, {3}};
  amphora::write(context, std::vector<bfloat16>{bfloat16(0.0f), bfloat16(1.0f), bfloat16(2.0f)}, average);
  device_array<float> raw(context, {1, 2});
  std::vector<double> history = {0.5, 0.25};
  std::array<std::uint64_t, 2> random = {~std::uint64_t(0), 3};
  std::int32_t counts[3] = {1, -2, 3};
  bool flag = true;
  const double constant_number = 0.1;
  const auto save = [&](const char* name) {
    wait_save_state(context, here.file(name).c_str(), saved("generator", a), saved("critic", b), saved("average", average), saved("raw", raw.view()),
                    saved("history", history), saved("random", random), saved("counts", counts), saved("flag", flag), saved("alone", alone), saved("constant", constant_number));
  };
  save("a");
  load_all({0, 0});
  for (int i = 0; i < 3; ++i) counts[i] = 9;
  amphora::write(context, std::vector<bfloat16>(3, bfloat16(9.0f)), average);
  raw.set({9, 9}), history = {9, 9}, random = {9, 9}, flag = false;
  double number = 9;
  const auto load = [&] {
    load_state(context, here.file("a").c_str(), saved("generator", a), saved("critic", b), saved("average", average), saved("raw", raw.view()), saved("history", history),
               saved("random", random), saved("counts", counts), saved("flag", flag), saved("alone", alone), saved("constant", number));
  };
  history.push_back(1);
  CHECK(refusal(load) == "state");  // two numbers there, three here
  CHECK(floats(context, frozen.master())[0] == 0);
  history.pop_back();
  load();
  CHECK(floats(context, frozen.master())[1] == 2.5f);
  CHECK(floats(context, frozen.weights())[1] == 2.5f);
  CHECK(floats(context, alone.weights())[0] == 1.5f);
  CHECK(floats(context, tied.weights<op::linear>())[1] == 2.5f);
  CHECK(static_cast<float>(wait_read(context, average)[2]) == 2);
  CHECK(raw[1] == 2);
  CHECK(history == std::vector<double>{0.5, 0.25});
  CHECK(random[0] == ~std::uint64_t(0));
  CHECK(counts[1] == -2);
  CHECK(flag);
  CHECK(number == 0.1);
  save("b");
  CHECK(read(here.file("a")) == read(here.file("b")));
}

TEST_CASE("two items of one name are refused before anything is written") {
  folder here;
  test_context context;
  int a = 1, b = 2;
  CHECK(refusal([&] { wait_save_state(context, here.file("a").c_str(), saved("x", a), saved("x", b)); }) == "state");
  CHECK(!std::filesystem::exists(here.path / "a"));
}

TEST_CASE("the old file stays until the new one is whole, and nothing is left beside it") {
  folder here;
  test_context context;
  int number = 1;
  const std::string path = here.file("a");
  wait_save_state(context, path.c_str(), saved("number", number));
  const bytes old = read(path);
  // A save that was killed left this behind; the next one replaces it.
  state_run::write(path + ".partial", {1, 2, 3});
  number = 2;
  wait_save_state(context, path.c_str(), saved("number", number));
  CHECK(read(path) != old);
  CHECK(!std::filesystem::exists(path + ".partial"));
  // Where the temporary file cannot be made, the old one stays.
  const bytes before = read(path);
  std::filesystem::create_directory(path + ".partial");
  number = 3;
  CHECK(refusal([&] { wait_save_state(context, path.c_str(), saved("number", number)); }) == "state");
  CHECK(read(path) == before);
  std::filesystem::remove(path + ".partial");
  // Where the name is taken by a folder, the temporary file goes.
  std::filesystem::create_directory(here.path / "taken");
  state_run::write(here.file("taken/inside"), {1});
  CHECK(refusal([&] { wait_save_state(context, here.file("taken").c_str(), saved("number", number)); }) == "state");
  CHECK(!std::filesystem::exists(here.path / "taken.partial"));
  CHECK(refusal([&] { wait_save_state(context, here.file("no/such/folder").c_str(), saved("number", number)); }) == "state");
}

TEST_CASE("a program killed while it saves leaves a whole file, the old or the new one") {
  folder here;
  const std::string path = here.file("a");
  std::vector<std::int64_t> numbers(20000, 0);
  test_context context;
  wait_save_state(context, path.c_str(), saved("numbers", numbers));
  std::int64_t last = 0;
  for (int round = 0; round < 12 || (last == 0 && round < 300); ++round) {  // longer and longer, however slow the disk is
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      refusal([&] {
        for (std::int64_t next = last + 1;; ++next) {
          numbers.assign(numbers.size(), next);
          wait_save_state(context, path.c_str(), saved("numbers", numbers));
        }
      });
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(3000 + 2971 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    load_state(context, path.c_str(), saved("numbers", numbers));
    CHECK(numbers == std::vector<std::int64_t>(numbers.size(), numbers[0]));
    CHECK(numbers[0] >= last);
    last = numbers[0];
  }
  CHECK(last > 0);
}
