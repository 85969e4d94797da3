#include "cli/trajectories/balls.h"

#include <numbers>
#include <vector>

namespace tidepool::cli {

// Masses and sizes are those of the rules; coefficients are round figures from the middle of what wind tunnels give for such speeds.
std::span<const Ball> balls() {
  static const std::vector<Ball> all{
      {"baseball", 0.145, 0.0366, 0.35, 0.4, 2.32, 1.0, {{{30, 50}, {10, 45}, {-20, 20}, {1000, 2800}, {-20, 20}}}},
      {"golf", 0.0459, 0.02135, 0.25, 0.4, 2.32, 0.0, {{{50, 75}, {8, 20}, {-5, 5}, {2000, 3500}, {-10, 10}}}},
      {"tennis", 0.058, 0.0335, 0.55, 0.5, 1.8, 1.0, {{{15, 45}, {2, 25}, {-10, 10}, {-2500, 1500}, {-15, 15}}}},
      {"football", 0.43, 0.11, 0.25, 0.5, 2.0, 0.0, {{{15, 32}, {10, 45}, {-20, 20}, {200, 600}, {-60, 60}}}},
  };
  return all;
}

const Ball* find_ball(const std::string& name) {
  for (const Ball& ball : balls())
    if (ball.name == name) return &ball;
  return nullptr;
}

FlightParams params_of(const Ball& ball, const Air& air, double height) {
  const double area = std::numbers::pi * ball.radius * ball.radius;
  const double pressure = air.density * area / (2 * ball.mass);
  const auto real = [](double value) { return static_cast<float>(value); };
  return {.first = 0,
          .count = 0,
          .row = 0,
          .most_steps = most_steps,
          .step = 0.01F,
          .tolerance = 1e-6F,
          .gravity = 9.80665F,
          .drag = air.drag ? real(pressure * ball.drag) : 0.0F,
          .lift = air.lift ? real(pressure) : 0.0F,
          .lift_start = real(ball.lift_start),
          .lift_slope = real(ball.lift_slope),
          .surface_per_spin = real(ball.radius * 2 * std::numbers::pi / 60),
          .spin_loss = air.spin_decay > 0 ? real(1 / air.spin_decay) : 0.0F,
          .height = real(height),
          .wind_x = real(air.wind[0]),
          .wind_y = real(air.wind[1]),
          .wind_z = real(air.wind[2])};
}

}  // namespace tidepool::cli
