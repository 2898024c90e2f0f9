#include <amphora/ops/product.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE("a batch counts its matrices and passes over axes of one") {
  amp::detail::batch_loops loops;
  CHECK(loops.count() == 1);
  loops.add(3, 12, 0, 20);
  loops.add(1, 99, 99, 99);
  loops.add(2, 6, 8, 10);
  CHECK(loops.rank == 2);
  CHECK(loops.count() == 6);
  CHECK(loops.b[0] == 0);
  CHECK(loops.c[1] == 10);
  loops.add(0, 1, 1, 1);
  CHECK(loops.count() == 0);
}
