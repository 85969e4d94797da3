// max, min, var, norm, argmax.
#include "conformance/reduce_forms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tidepool::conformance {

namespace {

using Slices = std::function<double(const std::vector<double>&)>;

// f of the elements that become one, in their order.
RefTensor reduced(const RefTensor& a, const Case& c, const Slices& f) {
  const std::int64_t rank = a.shape.rank();
  std::vector<bool> gone(static_cast<std::size_t>(rank), c.axes.empty());
  for (const std::int64_t axis : c.axes)
    if (rank > 0) gone[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  RefTensor result = sum_axes(a, c.axes, c.keepdim);  // for the shape
  result.magnitudes.clear();
  std::vector<std::vector<double>> slices(result.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    std::size_t rest = i, to = 0, step = 1;
    for (std::int64_t axis = rank; axis-- > 0;) {
      const auto size = static_cast<std::size_t>(a.shape[axis]);
      if (!gone[static_cast<std::size_t>(axis)]) {
        to += rest % size * step;
        step *= size;
      }
      rest /= size;
    }
    slices[to].push_back(a.values[i]);
  }
  for (std::size_t i = 0; i < slices.size(); ++i) result.values[i] = f(slices[i]);
  return result;
}

bool better(double a, double b, bool largest) { return std::isnan(a) ? !std::isnan(b) : largest ? a > b : a < b; }

std::size_t best_place(const std::vector<double>& slice, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < slice.size(); ++i)
    if (better(slice[i], slice[best], largest)) best = i;
  return best;
}

double variance(const std::vector<double>& slice) {
  const auto count = static_cast<double>(slice.size());
  double mean = 0, squares = 0;
  for (const double x : slice) mean += x / count;
  for (const double x : slice) squares += (x - mean) * (x - mean);
  return squares / std::max(count - 1, 0.0);
}

// Squares are floats, so they end at the largest float.
double length(const std::vector<double>& slice) {
  double squares = 0;
  for (const double x : slice) squares += x * x;
  return squares > static_cast<double>(std::numeric_limits<float>::max()) ? std::numeric_limits<double>::infinity() : std::sqrt(squares);
}

std::vector<Case> with_something() {
  std::vector<Case> cases = with(with(plain_shapes(), along_axes()), {{.shape = {3, 2049}, .axes = {1}},
                                                                      {.shape = {1500, 3}, .axes = {0}},
                                                                      {.shape = {2, 1100, 9}, .axes = {1}, .keepdim = true},
                                                                      {.shape = {2, 3, 300}, .axes = {1}},
                                                                      {.shape = {9, 1200}, .axes = {0}},
                                                                      {.shape = {70, 130}, .axes = {0}, .view = true}});
  std::erase_if(cases, [](const Case& c) { return c.shape.numel() > 10'000; });
  return cases;
}

// Nothing has no largest element.
std::vector<Case> not_of_nothing(std::vector<Case> cases) {
  std::erase_if(cases, [](const Case& c) { return reduced_elements(c) == 0; });
  return cases;
}

template <class Function>
void extremum_cases(std::vector<OpCases>& all, const char* op, Function function, bool largest) {
  const auto reference = [largest](const RefTensors& in, const Case& c) {
    return reduced(in[0], c, [largest](const std::vector<double>& slice) { return slice[best_place(slice, largest)]; });
  };
  all.push_back({.op = op,
                 .make = [function](Inputs& in, const Case& c) { return in_form(function, in.uniform(c.shape, -1, 2), c); },
                 .reference = reference,
                 .over = with(not_of_nothing(with_something()), special_ones()),
                 .tolerance = 0});
  all.push_back({.op = std::string(op) + "_i32",
                 .make = [function](Inputs& in, const Case& c) { return in_form(function, in.integers(c.shape, -900, 900), c); },
                 .reference = reference,
                 .over = not_of_nothing(along_axes()),
                 .tolerance = 0,
                 .differentiable = false});
}

std::vector<Case> along_one_axis() {
  std::vector<Case> cases = not_of_nothing(with_something());
  std::erase_if(cases, [](const Case& c) { return c.axes.size() != 1; });
  return with(cases, {{.shape = {special_count, 1}, .axes = {0}, .values = Values::special},
                      {.shape = {special_count / 2, 2}, .axes = {1}, .values = Values::special},
                      {.shape = {2, special_count / 2}, .axes = {0}, .values = Values::special}});
}

}  // namespace

void statistics_cases(std::vector<OpCases>& all) {
  extremum_cases(all, "max", TIDEPOOL_FORMS(max), true);
  extremum_cases(all, "min", TIDEPOOL_FORMS(min), false);
  const auto place = [](const RefTensors& in, const Case& c) {
    return reduced(in[0], c, [](const std::vector<double>& slice) { return static_cast<double>(best_place(slice, true)); });
  };
  all.push_back({.op = "argmax",
                 .make = [](Inputs& in, const Case& c) { return argmax(in.uniform(c.shape), c.axes[0], c.keepdim); },
                 .reference = place,
                 .over = along_one_axis(),
                 .tolerance = 0,
                 .differentiable = false});
  all.push_back({.op = "argmax_i32",
                 .make = [](Inputs& in, const Case& c) { return argmax(in.integers(c.shape, 0, 5), c.axes[0], c.keepdim); },
                 .reference = place,
                 .over = along_one_axis(),
                 .tolerance = 0,
                 .differentiable = false});
  std::vector<Case> several = with_something();
  std::erase_if(several, [](const Case& c) { return reduced_elements(c) == 1; });  // NaN, whose gradient is NaN: see semantics
  all.push_back({.op = "var",
                 .make = [](Inputs& in, const Case& c) { return in_form(TIDEPOOL_FORMS(var), in.uniform(c.shape, -1, 2), c); },
                 .reference = [](const RefTensors& in, const Case& c) { return reduced(in[0], c, variance); },
                 .over = with(several, special_ones()),
                 .tolerance = 3e-6,
                 .gradient_tolerance = 3e-5});
  all.push_back({.op = "norm",
                 .make = [](Inputs& in, const Case& c) { return in_form(TIDEPOOL_FORMS(norm), in.uniform(c.shape, -1, 2), c); },
                 .reference = [](const RefTensors& in, const Case& c) { return reduced(in[0], c, length); },
                 .over = with(with_something(), special_ones())});
}

}  // namespace tidepool::conformance
