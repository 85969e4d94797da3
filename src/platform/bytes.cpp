#include "platform/bytes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tidepool::inline v0 {

namespace {
struct Unit {
  std::string_view name;
  int shift;
};
constexpr std::array<Unit, 5> units{{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}};
}  // namespace

std::string readable_bytes(std::size_t bytes) {
  for (const Unit& unit : units) {
    const double of_unit = static_cast<double>(bytes) / static_cast<double>(std::size_t{1} << unit.shift);
    if (of_unit < 0.99995 && unit.shift > 0) continue;  // just below is written as one of them
    const auto tenths = static_cast<std::size_t>(std::llround(of_unit * 10.0));
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10) text += '.' + std::to_string(tenths % 10);
    return text + ' ' + std::string(unit.name);
  }
  return "0 B";
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.empty()) return number;
  for (const Unit& known : units)
    if (unit == known.name) {
      if (number > (SIZE_MAX >> known.shift)) return std::nullopt;
      return number << known.shift;
    }
  return std::nullopt;
}

std::string with_commas(std::string_view number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  std::string text(number);
  for (std::size_t i = std::min(number.find('.'), number.size()); i > first + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace tidepool::inline v0
