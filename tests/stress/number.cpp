#include "stress/number.h"

#include <cmath>

namespace tidepool::stress {

namespace {
thread_local Calculation* newest = nullptr;
}  // namespace

Calculation::Calculation(double noise, std::uint64_t seed) : before_(std::exchange(newest, this)), noise_(noise), random_(seed) {}
Calculation::~Calculation() { newest = before_; }
Calculation& Calculation::current() { return *newest; }

double Calculation::off(double value) {
  if (noise_ == 0) return value;
  const double part = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;  // from -1 to 1
  return value * (1 + noise_ * part);
}

Number Calculation::add(double value) {
  steps_.push_back({value, {0, 0}, {0, 0}});
  return {static_cast<std::uint32_t>(steps_.size() - 1)};
}
Number Calculation::add(double value, Number a, double slope_a) {
  steps_.push_back({off(value), {a.at, 0}, {off(slope_a), 0}});
  return {static_cast<std::uint32_t>(steps_.size() - 1)};
}
Number Calculation::add(double value, Number a, double slope_a, Number b, double slope_b) {
  steps_.push_back({off(value), {a.at, b.at}, {off(slope_a), off(slope_b)}});
  return {static_cast<std::uint32_t>(steps_.size() - 1)};
}

std::vector<double> Calculation::slopes(const std::vector<std::pair<Number, double>>& of) const {
  std::vector<double> slopes(steps_.size(), 0);
  for (const auto& [number, factor] : of) slopes[number.at] += factor;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (slopes[i] == 0) continue;
    const Step& step = steps_[i];
    for (int side = 0; side < 2; ++side)
      if (step.slope[side] != 0) slopes[step.from[side]] += slopes[i] * step.slope[side];
  }
  return slopes;
}

double value_of(Number number) { return Calculation::current().value(number); }
Number constant(double value) { return Calculation::current().add(value); }
Number detached(Number number) { return constant(value_of(number)); }

Number operator+(Number a, Number b) { return Calculation::current().add(value_of(a) + value_of(b), a, 1, b, 1); }
Number operator-(Number a, Number b) { return Calculation::current().add(value_of(a) - value_of(b), a, 1, b, -1); }
Number operator*(Number a, Number b) { return Calculation::current().add(value_of(a) * value_of(b), a, value_of(b), b, value_of(a)); }
Number operator/(Number a, Number b) {
  const double x = value_of(a), y = value_of(b);
  return Calculation::current().add(x / y, a, 1 / y, b, -x / (y * y));
}
Number operator+(Number a, double b) { return Calculation::current().add(value_of(a) + b, a, 1); }
Number operator*(Number a, double b) { return Calculation::current().add(value_of(a) * b, a, b); }
Number with_slope(Number x, double value, double slope) { return Calculation::current().add(value, x, slope); }
Number exp_of(Number x) {
  const double y = std::exp(value_of(x));
  return with_slope(x, y, y);
}
Number log_of(Number x) { return with_slope(x, std::log(value_of(x)), 1 / value_of(x)); }
Number sqrt_of(Number x) {
  const double y = std::sqrt(value_of(x));
  return with_slope(x, y, 0.5 / y);
}

namespace {
Number chosen(Number a, Number b, bool first, bool equal) {
  const double share = equal ? 0.5 : 0;
  return Calculation::current().add(first ? value_of(a) : value_of(b), a, equal ? share : first ? 1 : 0, b, equal ? share : first ? 0 : 1);
}
}  // namespace
Number larger_of(Number a, Number b) { return chosen(a, b, value_of(a) > value_of(b), value_of(a) == value_of(b)); }
Number smaller_of(Number a, Number b) { return chosen(a, b, value_of(a) < value_of(b), value_of(a) == value_of(b)); }

}  // namespace tidepool::stress
