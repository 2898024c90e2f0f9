// State files between the host and the CUDA device in one program.
#include <amphora/host/context.hpp>    // host_context
#include <amphora/host/parameter.hpp>  // parameter_kernels
#include <amphora/host/scale.hpp>      // scale_kernels
#include <amphora/host/step.hpp>       // step_kernels

#include "state_run.hpp"

#include <doctest/doctest.h>

namespace {
using on_host = state_run::run<amphora::nadam, amphora::host_context>;
using on_cuda = state_run::run<amphora::nadam, amphora::cuda_context>;
}  // namespace

TEST_CASE("a run on the host and one on CUDA save the same file") {
  state_run::folder here;
  on_host host;
  on_cuda cuda;
  host.load_weights(), cuda.load_weights();
  for (int k = 0; k < 9; ++k) host.step(k), cuda.step(k);
  host.save(here.file("host")), cuda.save(here.file("cuda"));
  REQUIRE(state_run::read(here.file("host")).size() > 1000);
  CHECK(state_run::read(here.file("host")) == state_run::read(here.file("cuda")));
}

TEST_CASE("what one device saved the other loads, and goes on to the same bits") {
  state_run::folder here;
  const auto moves = [&](auto& from, auto& to) {
    from.load_weights();
    for (int k = 0; k < 9; ++k) from.step(k);
    from.save(here.file("saved"));
    to.load(here.file("saved"));
    to.save(here.file("again"));
    CHECK(state_run::read(here.file("saved")) == state_run::read(here.file("again")));
    CHECK(to.epoch == 9);
    CHECK(to.optimizer.wait_taken(to.context) == 7);
    CHECK(to.optimizer.wait_skipped(to.context) == 2);
    for (int k = 9; k < 14; ++k) from.step(k), to.step(k);
    from.save(here.file("saved")), to.save(here.file("again"));
    CHECK(state_run::read(here.file("saved")) == state_run::read(here.file("again")));
  };
  on_host host_first, host_second;
  on_cuda cuda_first, cuda_second;
  moves(host_first, cuda_second);
  moves(cuda_first, host_second);
}

TEST_CASE("a file that CUDA refuses leaves the device as it was") {
  state_run::folder here;
  on_host other;
  on_cuda victim;
  other.load_weights(), victim.load_weights();
  for (int k = 0; k < 3; ++k) other.step(k), victim.step(k + 1);
  other.save(here.file("saved")), victim.save(here.file("before"));
  state_run::bytes content = state_run::read(here.file("saved"));
  content[content.size() / 2] ^= 4;
  state_run::write(here.file("spoiled"), content);
  CHECK_THROWS_WITH_AS(victim.load(here.file("spoiled")), doctest::Contains("[state]"), amphora::error);
  victim.save(here.file("after"));
  CHECK(state_run::read(here.file("before")) == state_run::read(here.file("after")));
}
