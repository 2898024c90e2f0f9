#include <amphora/error.hpp>         // error
#include <amphora/scale/ticket.hpp>  // ticket

#include <doctest/doctest.h>

#include <utility>

namespace amp = amphora;

namespace {

/// A scaler's host half without the scaler.
struct stand_in {
  amp::detail::issuer* host = new amp::detail::issuer;
  amp::scale_slot slot{4, 0.25f};
  stand_in() = default;
  stand_in(const stand_in&) = delete;
  ~stand_in() { end(); }
  amp::ticket ticket() { return {*host, &slot}; }
  void update() { ++host->generation; }
  void end() {
    if (!host) return;
    host->ended = true;
    if (host->remove_owner()) delete host;
    host = nullptr;
  }
};

}  // namespace

TEST_CASE("a ticket points to its scale and is fresh until the next update") {
  stand_in scaler;
  const amp::ticket ticket = scaler.ticket();
  CHECK(*ticket.scale() == 4);
  CHECK(*ticket.inverse() == 0.25f);
  CHECK(ticket.has_scaler());
  CHECK(ticket.valid());
  ticket.require_fresh("step");
  scaler.update();
  CHECK_FALSE(ticket.valid());
  CHECK_THROWS_WITH_AS(ticket.require_fresh("step"), doctest::Contains("amphora [stale-ticket]: step: this ticket is of generation 0 and its scaler was updated to 1"), amp::error);
  CHECK(scaler.ticket().valid());
}

TEST_CASE("a ticket that outlives its scaler is stale, not dangling") {
  stand_in scaler;
  const amp::ticket ticket = scaler.ticket();
  scaler.end();
  CHECK_FALSE(ticket.valid());
  CHECK_THROWS_WITH_AS(ticket.require_fresh("unscale"), doctest::Contains("is gone"), amp::error);
}

TEST_CASE("a ticket of no scaler is always fresh and has no pointers") {
  const amp::ticket none;
  CHECK(none.valid());
  CHECK_FALSE(none.has_scaler());
  CHECK(none.scale() == nullptr);
  CHECK(none.inverse() == nullptr);
  none.require_fresh("step");
}

TEST_CASE("B08: tickets of two scalers or of two generations are told apart") {
  stand_in first, second;
  const amp::ticket a = first.ticket(), same = first.ticket(), other = second.ticket();
  a.require_same(same, "add");
  CHECK(a == same);
  CHECK_THROWS_WITH_AS(a.require_same(other, "add"), doctest::Contains("[mixed-tickets]: add: these gradients carry different scales"), amp::error);
  first.update();
  CHECK(a != first.ticket());
  CHECK_THROWS_WITH_AS(a.require_same(first.ticket(), "add"), doctest::Contains("generations 0 and 1 of one scaler"), amp::error);
}

TEST_CASE("tickets copy and move as values") {
  stand_in scaler;
  CHECK(scaler.host->owners == 1);
  {
    amp::ticket a = scaler.ticket(), b = a;
    CHECK(scaler.host->owners == 3);
    amp::ticket c = std::move(a);
    CHECK(scaler.host->owners == 3);
    CHECK_FALSE(a.has_scaler());
    b = c;
    a = std::move(c);
    CHECK(a == b);
    CHECK(scaler.host->owners == 3);
  }
  CHECK(scaler.host->owners == 1);
}
