// The methods by themselves, in double precision, where rounding does not hide their order: the same formulas as on the devices.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cli/trajectories/balls.h"
#include "cli/trajectories/flight.h"

namespace tidepool::cli {
namespace {

struct Flight {
  FlightParams params = params_of(*find_ball("golf"), {.wind = {3, -2, 0}}, 0);
  plain::Launch launch{70, 15, 4, 3000, 10};
  plain::Axis axis = plain::axis_of(launch);

  plain::State by_rk4(int steps) const {
    plain::State s = plain::start_of(params, launch);
    for (int i = 0; i < steps; ++i) s = plain::rk4(params, axis, s, 4.0 / steps);
    return s;
  }
  plain::State by_dormand_prince(int steps) const {
    plain::State s = plain::start_of(params, launch);
    for (int i = 0; i < steps; ++i) s = plain::dormand_prince(params, axis, s, plain::rates(params, axis, s), 4.0 / steps).to;
    return s;
  }
};

double distance(const plain::State& a, const plain::State& b) {
  return std::sqrt(std::pow(a.x - b.x, 2) + std::pow(a.y - b.y, 2) + std::pow(a.z - b.z, 2) + std::pow(a.vx - b.vx, 2) +
                   std::pow(a.vy - b.vy, 2) + std::pow(a.vz - b.vz, 2));
}

// What the error is divided by when the step is halved, as a power of two: the order.
template <class By>
std::vector<double> orders(By&& by, const plain::State& truth) {
  std::vector<double> result;
  for (int steps = 20; steps <= 160; steps *= 2) result.push_back(std::log2(distance(by(steps), truth) / distance(by(2 * steps), truth)));
  return result;
}

TEST(FlightOrder, OfRungeAndKuttasMethodIsFour) {
  const Flight flight;
  const plain::State truth = flight.by_dormand_prince(4000);
  for (const double order : orders([&](int steps) { return flight.by_rk4(steps); }, truth)) EXPECT_NEAR(order, 4, 0.25);
  EXPECT_LT(distance(flight.by_rk4(400), truth), 1e-6) << "the step of 0.01 s that the command takes";
}

// Its error of order five is so small here that those of higher order are seen first.
TEST(FlightOrder, OfDormandAndPrincesMethodIsFiveAtLeast) {
  const Flight flight;
  const plain::State truth = flight.by_dormand_prince(4000);
  const double coarse = distance(flight.by_dormand_prince(4), truth), fine = distance(flight.by_dormand_prince(64), truth);
  EXPECT_GT(std::log2(coarse / fine) / std::log2(64.0 / 4.0), 5);
}

// The estimate is of the fourth order's error: it shrinks by 2^5 for one step of half the length.
TEST(FlightOrder, TheErrorsEstimateIsOfTheOrderThatStepsAreChosenBy) {
  const Flight flight;
  const plain::State s = flight.by_dormand_prince(100), k = plain::rates(flight.params, flight.axis, s);
  const auto error = [&](double step) { return std::sqrt(plain::dormand_prince(flight.params, flight.axis, s, k, step).error_squared); };
  for (double h = 0.4; h > 0.02; h /= 2) EXPECT_NEAR(std::log2(error(h) / error(h / 2)), 5, 0.1) << h;
}

// Landing and apex are found by steps of the method itself, so they are as good as it is.
TEST(FlightOrder, OfWhereItLandsIsFourToo) {
  Flight flight;
  flight.params.tolerance = 1e-12F;
  const plain::Outcome truth = plain::fly(flight.params, flight.launch, true);
  ASSERT_GT(truth.steps, 0);
  double before = 0;
  for (const float step : {0.4F, 0.2F, 0.1F, 0.05F}) {
    flight.params.step = step;
    const plain::Outcome o = plain::fly(flight.params, flight.launch, false);
    const double error = std::hypot(o.x - truth.x, o.y - truth.y) + std::abs(o.time - truth.time) + std::abs(o.apex - truth.apex);
    if (before > 0) {
      EXPECT_GT(before / error, 11) << "step " << step;
    }
    before = error;
  }
  EXPECT_LT(before, 1e-4);
}

}  // namespace
}  // namespace tidepool::cli
