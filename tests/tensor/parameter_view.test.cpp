#include <amphora/format/storage.hpp>         // float16, bfloat16
#include <amphora/tensor/parameter_view.hpp>  // parameter_view

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE("a view takes its formats from its pointers") {
  float w[6], state[12];
  amp::bfloat16 model[6];
  amp::float16 gradient[6];
  const amp::parameter_view p{w, model, gradient, state, {2, 3}};
  CHECK(p.n == 6);
  CHECK(p.shape == amp::shape{2, 3});
  CHECK(p.model.format == amp::format_id::bf16);
  CHECK(p.model.data == model);
  CHECK(p.gradient.format == amp::format_id::f16);
  CHECK(p.master == w);
  CHECK(p.state == state);
  CHECK(!p.masterless);
}

TEST_CASE("what is not there is null, and a size may stand for a shape") {
  float w[6];
  const amp::parameter_view p{w, nullptr, nullptr, nullptr, 6};
  CHECK(p.shape == amp::shape{6});
  CHECK(p.model.data == nullptr);
  CHECK(p.gradient.data == nullptr);
  const amp::parameter_view q{nullptr, w, nullptr, nullptr, 6};  // float weights are their own master
  CHECK(q.master == nullptr);
  CHECK(q.model.format == amp::format_id::f32);
  CHECK(amp::parameter_view().n == 0);
}

TEST_CASE("weights without a master are said aloud") {
  amp::bfloat16 model[4];
  const auto p = amp::parameter_view::without_master(model, nullptr, nullptr, 4, true);
  CHECK(p.masterless);
  CHECK(p.stochastic);
  CHECK(p.master == nullptr);
}

TEST_CASE("a tied weight has up to three further copies") {
  float w[1], copies[4];
  amp::parameter_view p{w, nullptr, nullptr, nullptr, 1};
  p.add_copy(copies).add_copy(copies + 1).add_copy(copies + 2);
  CHECK(p.copies[2].data == copies + 2);
  CHECK_THROWS_AS(p.add_copy(copies + 3), amp::error);
}
