// The forms that every reduction has, for the files of their cases.
#pragma once

#include "conformance/cases.h"

#include <stdexcept>

namespace tidepool::conformance {

// `reduce` in the form that the case asks for; lists of axes are initializer lists, so their lengths are spelled out.
template <class Reduce>
Tensor in_form(Reduce&& reduce, const Tensor& a, const Case& c) {
  using List = std::initializer_list<std::int64_t>;
  const std::vector<std::int64_t>& axes = c.axes;
  switch (axes.size()) {
    case 0:
      return reduce(a);
    case 1:
      return c.keepdim ? reduce(a, axes[0], true) : reduce(a, axes[0]);
    case 2:
      return c.keepdim ? reduce(a, List{axes[0], axes[1]}, true) : reduce(a, List{axes[0], axes[1]});
    case 3:
      return reduce(a, List{axes[0], axes[1], axes[2]}, c.keepdim);
    case 4:
      return reduce(a, List{axes[0], axes[1], axes[2], axes[3]}, c.keepdim);
    default:
      throw std::logic_error("no case has so many axes");
  }
}

// All forms of a function as one callable.
#define TIDEPOOL_FORMS(name) [](const auto& a, const auto&... rest) -> Tensor { return (name)(a, rest...); }

inline std::vector<Case> along_axes() {
  return {{.shape = {1}, .axes = {0}},
          {.shape = {5, 6, 7}, .axes = {0}},
          {.shape = {5, 6, 7}, .axes = {1}},
          {.shape = {5, 6, 7}, .axes = {2}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-1}},
          {.shape = {5, 6, 7}, .axes = {-2}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-3}},
          {.shape = {5, 6, 7}, .axes = {0, 2}},
          {.shape = {5, 6, 7}, .axes = {2, 0}, .keepdim = true},
          {.shape = {5, 6, 7}, .axes = {-1, -2}},
          {.shape = {5, 6, 7}, .axes = {0, 1, 2}, .keepdim = true},
          {.shape = {2, 1, 2, 3, 1, 2, 3, 2}, .axes = {0, 3, 5, 7}},
          {.shape = {2, 1, 2, 3, 1, 2, 3, 2}, .axes = {1, 2, -2, -4}, .keepdim = true},
          {.shape = {33, 9}, .axes = {0}, .view = true},
          {.shape = {33, 9}, .axes = {1}, .view = true},
          {.shape = {0, 3}, .axes = {0}},
          {.shape = {0, 3}, .axes = {1}},
          {.shape = {3, 0}, .axes = {1}, .keepdim = true},
          {.shape = {2, 0, 3}, .axes = {0, 2}}};
}

inline std::vector<Case> special_ones() {
  return {{.shape = {special_count}, .values = Values::special},
          {.shape = {special_count, 1}, .axes = {1}, .values = Values::special},
          {.shape = {special_count / 2, 2}, .axes = {1}, .values = Values::special}};
}

inline double reduced_elements(const Case& c) {
  if (c.axes.empty()) return static_cast<double>(c.shape.numel());
  double count = 1;
  for (const std::int64_t axis : c.axes) count *= static_cast<double>(c.shape[axis]);
  return count;
}

}  // namespace tidepool::conformance
