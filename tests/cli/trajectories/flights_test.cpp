// Flights as a kernel: against an independent solver, energy, order, landing and apex, faults.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cli/trajectories/flights.h"
#include "support/devices.h"

namespace tidepool::cli {
namespace {

struct Reference {
  const char* ball;
  double wind[3];
  double height;
  double launch[launch_rows];  // floats
  double outcome[5];           // x, y, time, apex, speed
};
constexpr Reference references[] = {
#include "cli/trajectories/reference.inc"
};

using Rows = std::vector<std::vector<float>>;  // one for each flight

// Flies these launches on the default device.
Rows fly(Method method, FlightParams params, const Rows& launches) {
  const auto count = static_cast<std::int64_t>(launches.size());
  std::vector<float> in(static_cast<std::size_t>(launch_rows * count));
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (std::size_t r = 0; r < launch_rows; ++r) in[r * launches.size() + i] = launches[i][r];
  params.count = params.row = static_cast<int>(count);
  const Tensor outcomes = zeros({outcome_rows, count});
  static const Kernel kernels[] = {flight_kernel(Method::rk4), flight_kernel(Method::adaptive)};
  kernels[method == Method::adaptive](count, params, {from_host(in, {launch_rows, count}), outcomes});
  const std::vector<float> out = outcomes.to_host<float>();
  Rows result(launches.size(), std::vector<float>(outcome_rows));
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (std::size_t r = 0; r < outcome_rows; ++r) result[i][r] = out[r * launches.size() + i];
  return result;
}

FlightParams params_of_ball(const char* ball, const Air& air = {}, double height = 1) { return params_of(*find_ball(ball), air, height); }

// Drawn without the library, over all that a ball is launched with.
Rows some_launches(const char* ball, std::size_t count) {
  Rows launches(count);
  std::uint32_t state = 12345;
  for (auto& launch : launches)
    for (const Range& range : find_ball(ball)->launches) {
      state = state * 1664525U + 1013904223U;
      launch.push_back(static_cast<float>(range.low + (range.high - range.low) * (state >> 8U) / 16777216.0));
    }
  return launches;
}

class Flights : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Flights, devices_that_compute(), device_name);

// The place is compared relative to how far the flight went, for one coordinate may be near 0.
void expect_as_reference(const Reference& r, const std::vector<float>& got, double& worst) {
  EXPECT_GT(got[outcome_steps], 0);
  const double distance = std::hypot(r.outcome[0], r.outcome[1]);
  const double scales[] = {distance, distance, r.outcome[2], r.outcome[3], r.outcome[4]};
  for (std::size_t i = 0; i < 5; ++i) worst = std::max(worst, std::abs(static_cast<double>(got[i]) - r.outcome[i]) / scales[i]);
}

TEST_P(Flights, AgreeWithAnIndependentSolver) {
  for (const Method method : {Method::rk4, Method::adaptive}) {
    double worst = 0;
    for (const Reference& r : references) {
      const Air air{.wind = {r.wind[0], r.wind[1], r.wind[2]}};
      std::vector<float> launch;
      for (const double value : r.launch) launch.push_back(static_cast<float>(value));
      const Rows out = fly(method, params_of_ball(r.ball, air, r.height), {launch});
      expect_as_reference(r, out[0], worst);
    }
    RecordProperty(method == Method::rk4 ? "worst_rk4" : "worst_adaptive", std::to_string(worst));
    EXPECT_LT(worst, 1e-4) << (method == Method::rk4 ? "rk4" : "adaptive");
  }
}

TEST_P(Flights, KeepTheirEnergyWithoutDrag) {
  const Rows launches = some_launches("baseball", 500);
  FlightParams params = params_of_ball("baseball", {.wind = {5, 2, 0}, .drag = false, .lift = false}, 2);
  for (const Method method : {Method::rk4, Method::adaptive}) {
    const Rows out = fly(method, params, launches);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const double before = std::pow(static_cast<double>(launches[i][launch_speed]), 2) / 2 + static_cast<double>(params.gravity) * 2;
      const double after = std::pow(static_cast<double>(out[i][outcome_speed]), 2) / 2;
      EXPECT_NEAR(after / before, 1, 2e-5);
    }
  }
  // In still air lift is across the flight, so it takes no energy either; with drag there is less.
  params = params_of_ball("baseball", {.drag = false}, 0);
  const Rows lifted = fly(Method::adaptive, params, launches), slowed = fly(Method::adaptive, params_of_ball("baseball", {}, 0), launches);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    EXPECT_NEAR(lifted[i][outcome_speed] / launches[i][launch_speed], 1, 2e-5);
    EXPECT_LT(slowed[i][outcome_speed] / launches[i][launch_speed], 0.9);
  }
}

TEST_P(Flights, WithoutAirAreParabolas) {
  const FlightParams params = params_of_ball("golf", {.drag = false, .lift = false}, 0);
  const double g = static_cast<double>(params.gravity), up = 30 * std::sin(M_PI / 6), ahead = 30 * std::cos(M_PI / 6);
  for (const Method method : {Method::rk4, Method::adaptive}) {
    const Rows out = fly(method, params, {{30, 30, 90, 3000, 0}});
    EXPECT_NEAR(out[0][outcome_time], 2 * up / g, 1e-5 * 2 * up / g);
    EXPECT_NEAR(out[0][outcome_apex], up * up / (2 * g), 1e-5 * up * up / (2 * g));
    EXPECT_NEAR(out[0][outcome_y], ahead * 2 * up / g, 1e-5 * ahead * 2 * up / g);
    EXPECT_NEAR(out[0][outcome_x], 0, 1e-4);
  }
}

TEST_P(Flights, EndOnTheGroundHoweverLongAStepIs) {
  for (const float step : {0.003F, 0.05F, 0.3F, 1.0F}) {
    FlightParams params = params_of_ball("baseball", {.drag = false, .lift = false}, 0);
    params.step = step;
    const Rows out = fly(Method::rk4, params, {{2, 10, 0, 0, 0}, {9, 45, 0, 0, 0}, {5, 0, 0, 0, 0}, {5, 90, 0, 0, 0}});
    const double g = static_cast<double>(params.gravity);
    EXPECT_NEAR(out[0][outcome_x], 4 * std::sin(20 * M_PI / 180) / g, 2e-5) << "a flight of 0.07 s, step " << step;
    EXPECT_NEAR(out[1][outcome_x], 81 / g, 81 / g * 1e-5) << "step " << step;
    EXPECT_NEAR(out[1][outcome_apex], 40.5 / (2 * g), 1e-4) << "step " << step;
    EXPECT_NEAR(out[2][outcome_x], 0, 1e-4) << "rolls at once; step " << step;
    EXPECT_NEAR(out[3][outcome_apex], 25 / (2 * g), 1e-4) << "straight up; step " << step;
    for (const auto& flight : out) EXPECT_GT(flight[outcome_steps], 0);
  }
}

TEST_P(Flights, AreHighestAtTheLaunchWhenTheyDoNotClimb) {
  for (const Method method : {Method::rk4, Method::adaptive}) {
    const Rows out = fly(method, params_of_ball("baseball", {}, 20), {{30, 0, 0, 0, 0}});
    EXPECT_FLOAT_EQ(out[0][outcome_apex], 20);
    EXPECT_GT(out[0][outcome_x], 30);
  }
}

TEST_P(Flights, SayThatTheyDidNotLand) {
  FlightParams params = params_of_ball("baseball");
  params.most_steps = 20;
  const Rows out =
      fly(Method::rk4, params, {{40, 30, 0, 2000, 0}, {0.5F, 1, 0, 0, 0}, {std::numeric_limits<float>::quiet_NaN(), 30, 0, 0, 0}});
  EXPECT_EQ(out[0][outcome_steps], -20);
  EXPECT_LT(out[2][outcome_steps], 0) << "what is no number does not land";
  params.most_steps = 3;
  EXPECT_EQ(fly(Method::adaptive, params, {{40, 30, 0, 2000, 0}})[0][outcome_steps], -3);
  params.most_steps = most_steps;
  params.drag = 1e30F;
  EXPECT_LT(fly(Method::rk4, params, {{100, 30, 0, 0, 0}})[0][outcome_steps], 0) << "what grows beyond all numbers does not land";
}

TEST_P(Flights, AFlightDoesNotDependOnItsNeighbours) {
  const Rows launches = some_launches("golf", 3001);
  for (const Method method : {Method::rk4, Method::adaptive}) {
    const Rows all = fly(method, params_of_ball("golf"), launches);
    EXPECT_EQ(all, fly(method, params_of_ball("golf"), launches)) << "the same bits twice";
    const Rows few = fly(method, params_of_ball("golf"), {launches.begin() + 2990, launches.end()});
    EXPECT_EQ(Rows(all.begin() + 2990, all.end()), few);
  }
}

TEST_P(Flights, AdaptiveStepsFollowTheToleranceAndTheFlight) {
  FlightParams params = params_of_ball("golf");
  const Rows launches = some_launches("golf", 200);
  double before = 1e9;
  for (const float tolerance : {1e-6F, 1e-5F, 1e-4F, 1e-3F}) {
    params.tolerance = tolerance;
    const Rows out = fly(Method::adaptive, params, launches);
    double steps = 0;
    for (const auto& flight : out) steps += static_cast<double>(flight[outcome_steps]);
    EXPECT_LT(steps, before) << "tolerance " << tolerance;
    before = steps;
    const auto [least, most] =
        std::ranges::minmax_element(out, [](const auto& a, const auto& b) { return a[outcome_steps] < b[outcome_steps]; });
    if (tolerance < 1e-5F) {
      EXPECT_LT((*least)[outcome_steps], (*most)[outcome_steps]) << "each has its own";
    }
  }
}

FlightOptions some_flights(std::int64_t count, Method method) {
  return {.count = count, .method = method, .params = params_of_ball("baseball"), .launches = find_ball("baseball")->launches, .seed = 7};
}

// x of all flights.
std::vector<float> landings(const FlightOptions& options, std::int64_t* losses = nullptr) {
  std::vector<float> x;
  const std::int64_t lost = fly_all(options, [&](const FlightBlock& block) {
    EXPECT_EQ(block.first, static_cast<std::int64_t>(x.size()));
    for (std::int64_t i = 0; i < block.size; ++i) x.push_back(block.outcome(outcome_x, i));
    return true;
  });
  if (losses) *losses = lost;
  return x;
}

TEST_P(Flights, AreTheSameHoweverManyThereAre) {
  const std::vector<float> many = landings(some_flights(flights_of_a_block + 100, Method::adaptive));
  ASSERT_EQ(many.size(), static_cast<std::size_t>(flights_of_a_block + 100));
  const std::vector<float> few = landings(some_flights(100, Method::adaptive));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_FALSE(std::equal(few.begin(), few.end(), many.begin() + flights_of_a_block)) << "the next block has others";
}

TEST_P(Flights, GoOnWhenTheDeviceIsLost) {
  const FlightOptions options = some_flights(2 * flights_of_a_block + 10, Method::adaptive);
  const std::vector<float> undisturbed = landings(options);
  for (const char* fault : {"device_lost@launch:2", "device_lost@upload:3", "device_lost@download:3", "device_lost@submit:2"}) {
    faults::set(fault);
    std::int64_t losses = 0;
    const std::vector<float> got = landings(options, &losses);
    if (faults::happened() > 0) {
      EXPECT_EQ(losses, 1) << fault;
    }
    EXPECT_EQ(got, undisturbed) << fault;
  }
  faults::set("device_lost@launch:every:1");
  EXPECT_THROW(landings(options), DeviceLost);
}

TEST_P(Flights, StayWithinAMemoryLimit) {
  cleanup();
  configure({.memory_limit = 16_MiB});
  reset_peak();
  const std::vector<float> x = landings(some_flights(8 * flights_of_a_block, Method::adaptive));
  EXPECT_EQ(x.size(), static_cast<std::size_t>(8 * flights_of_a_block));
  EXPECT_LE(memory().peak_bytes, 16_MiB);
  EXPECT_GT(memory().peak_bytes, 0U);
}

TEST(FlightDraws, AreTheSameOnEveryDevice) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  std::vector<std::vector<float>> launches;
  for (const char* id : {"cpu", "vulkan:0"}) {
    set_default_device(device(id));
    fly_all(some_flights(1000, Method::adaptive), [&](const FlightBlock& block) {
      launches.push_back(block.launches);
      return true;
    });
  }
  set_default_device(device("cpu"));
  EXPECT_EQ(launches[0], launches[1]);
}

}  // namespace
}  // namespace tidepool::cli
