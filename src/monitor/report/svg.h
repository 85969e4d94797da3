// Charts drawn as SVG, without words: a page puts those around it in its own letters, so that they are as large on a phone.
#pragma once

#include <string>
#include <vector>

#include "monitor/report/document.h"

namespace tidepool::inline v0::monitor {

// Values from bottom to top, at equal distances.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks = {};
  double place(double value) const;  // 0 at the bottom, 1 at the top; what is outside, at the edge
};
Axis axis_of(const Chart& chart);

// Colours are the classes c0 to c7: `area`, `line`, `grid` and `across` say what is drawn in them.
std::string svg_of(const Chart& chart, const Axis& axis, const std::string& label);
std::string svg_of(const Bar& bar, const std::string& label);

}  // namespace tidepool::inline v0::monitor
