#include "cli/watch/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>

namespace tidepool::cli {

namespace {

std::string printed(const char* pattern, auto... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

// Three digits that say something.
std::string three_digits(double value) { return printed(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value); }

// One value for each column: the mean of those that share it; NaN when one of them is not finite.
std::vector<double> in_columns(const std::vector<double>& values, std::size_t columns) {
  if (values.size() <= columns) return values;
  std::vector<double> cells(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t first = i * values.size() / columns, last = (i + 1) * values.size() / columns;
    for (std::size_t j = first; j < last; ++j) cells[i] += values[j];
    cells[i] /= static_cast<double>(last - first);
  }
  return cells;
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<std::pair<double, double>> bounds) {
  static constexpr std::array steps{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (columns == 0) return "";
  const std::vector<double> cells = in_columns(values, columns);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double cell : cells)
    if (std::isfinite(cell)) low = std::min(low, cell), high = std::max(high, cell);
  if (bounds) std::tie(low, high) = *bounds;
  std::string line;
  for (const double cell : cells) {
    // Halved first: the span of two large numbers may be more than there is.
    const double share = high > low ? (cell / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
    line += std::isfinite(cell) ? steps[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * 7.999)] : "×";
  }
  return line;
}

std::string share_bar(double share, std::size_t columns) {
  static constexpr std::array parts{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double known = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  const auto eighths = static_cast<std::size_t>(known * static_cast<double>(columns) * 8);
  std::string bar;
  for (std::size_t i = 0; i < columns; ++i) bar += eighths >= (i + 1) * 8 ? "█" : parts[eighths > i * 8 ? eighths - i * 8 : 0];
  return bar;
}

std::string number_text(double value) { return printed("%.4g", value); }

std::string percent_text(double share) {
  if (!std::isfinite(share)) return "-";
  return share > 0 && share < 0.9995 ? printed("%.1f %%", share * 100) : printed("%.0f %%", share * 100);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds >= 99.95) return clock_text(seconds);
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " µs";
  return printed("%.0f ns", seconds * 1e9);
}

std::string clock_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "-";
  const long whole = std::lround(seconds);
  if (whole >= 3600) return printed("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return printed("%ld:%02ld", whole / 60, whole % 60);
}

}  // namespace tidepool::cli
