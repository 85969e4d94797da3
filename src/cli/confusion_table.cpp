#include "cli/confusion_table.h"

#include <algorithm>
#include <cstdio>

namespace tidepool::cli {

namespace {
std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width > text.size() ? width - text.size() : 0, ' ');
  return right ? space + text : text + space;
}
}  // namespace

std::string confusion_table(const EvalResult& evaluated, const std::vector<std::string>& classes) {
  const auto count = static_cast<std::size_t>(evaluated.classes);
  const auto name = [&](std::size_t i) { return i < classes.size() ? classes[i] : std::to_string(i); };
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) first = std::max(first, name(i).size());
  constexpr std::size_t width = 6;
  std::string text = padded("", first, false);
  for (std::size_t i = 0; i < count; ++i) text += padded(name(i).substr(0, width - 1), width, true);
  text += "   right\n";
  for (std::size_t row = 0; row < count; ++row) {
    text += padded(name(row), first, false);
    std::int64_t total = 0;
    for (std::size_t column = 0; column < count; ++column) {
      const std::int32_t value = evaluated.confusion[row * count + column];
      total += value;
      text += padded(value == 0 ? "." : std::to_string(value), width, true);
    }
    char share[32];
    const double right = total == 0 ? 0 : static_cast<double>(evaluated.confusion[row * count + row]) / static_cast<double>(total);
    std::snprintf(share, sizeof share, "  %5.1f %%\n", 100 * right);
    text += share;
  }
  return text;
}

}  // namespace tidepool::cli
