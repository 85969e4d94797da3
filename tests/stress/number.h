// Numbers that remember how they came to be: double precision, one element at a time, with the slope of every step. The
// gradient of anything is a walk back over them, so a reference needs to say only what an operation computes.
//
// With noise, every step is off by a random part of itself, as a float's would be; how far the results of a few such
// calculations lie apart tells how many digits of them can be believed.
//
//     Calculation calculation;
//     const Number x = constant(3), y = x * x;
//     calculation.slopes({{y, 1}})[x.at] == 6;
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tidepool::stress {

struct Number {
  std::uint32_t at = 0;
};

class Calculation {
 public:
  explicit Calculation(double noise = 0, std::uint64_t seed = 0);
  ~Calculation();
  Calculation(const Calculation&) = delete;
  Calculation& operator=(const Calculation&) = delete;
  static Calculation& current();  // the newest one of this thread; free functions compute with it

  Number add(double value);  // as it is
  Number add(double value, Number a, double slope_a);
  Number add(double value, Number a, double slope_a, Number b, double slope_b);
  double value(Number number) const { return steps_[number.at].value; }
  // What the sum of these, each times its factor, changes by with every number.
  std::vector<double> slopes(const std::vector<std::pair<Number, double>>& of) const;

 private:
  struct Step {
    double value;
    std::uint32_t from[2];
    double slope[2];  // 0 where there is nothing to follow
  };
  double off(double value);

  Calculation* before_;
  double noise_;
  std::mt19937_64 random_;
  std::vector<Step> steps_;
};

double value_of(Number number);
Number constant(double value);
Number detached(Number number);

Number operator+(Number a, Number b);
Number operator-(Number a, Number b);
Number operator*(Number a, Number b);
Number operator/(Number a, Number b);
Number operator+(Number a, double b);
Number operator*(Number a, double b);
// f(x) with the slope there.
Number with_slope(Number x, double value, double slope);
Number exp_of(Number x);
Number log_of(Number x);
Number sqrt_of(Number x);
Number larger_of(Number a, Number b);  // the slope is shared when they are equal
Number smaller_of(Number a, Number b);

}  // namespace tidepool::stress
