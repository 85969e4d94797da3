#include "monitor/wording.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

struct MsUnit {
  double ms;
  const char* name;
};

MsUnit unit_for(double ms) {
  if (ms >= 9999.5) return {1000, " s"};
  return ms < 0.0995 ? MsUnit{0.001, " µs"} : MsUnit{1, " ms"};
}

// Two digits are enough to compare by, three where the first is small.
std::string few_digits(double value) {
  if (!std::isfinite(value)) return three_digits(value);
  const double size = std::abs(value);
  if (size == 0) return "0";
  double step = std::pow(10, std::floor(std::log10(size)) - 1);
  if (size / step < 20) step /= 10;
  step = std::min(step, 1.0);
  return three_digits(std::round(value / step) * step);
}

std::string two_parts(double whole, const char* large, double rest, const char* small) {
  return rest < 0.5 ? cat(static_cast<long long>(whole), large) : cat(static_cast<long long>(whole), large, " ", std::llround(rest), small);
}

}  // namespace

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) >= 1000 && std::abs(value) < 1e15 ? "%.0f" : "%.3g", value);
  return text;
}

std::string readable_ms(double ms) {
  const MsUnit unit = unit_for(ms);
  return few_digits(ms / unit.ms) + unit.name;
}

std::string ms_range(double low, double high) {
  const MsUnit unit = unit_for(high);
  const std::string from = few_digits(low / unit.ms), to = few_digits(high / unit.ms);
  return from == to ? to + unit.name : cat(from, " to ", to, unit.name);
}

std::string readable_seconds(double seconds) {
  const double s = std::max(seconds, 0.0);
  if (s < 9.95) return few_digits(std::round(s * 10) / 10) + " s";
  if (s < 59.5) return cat(std::llround(s), " s");
  if (s < 3599.5) {
    const double rounded = std::round(s);
    return two_parts(std::floor(rounded / 60), " min", std::fmod(rounded, 60), " s");
  }
  const double minutes = std::round(s / 60);
  return two_parts(std::floor(minutes / 60), " h", std::fmod(minutes, 60), " min");
}

std::string readable_share(double share) { return few_digits(std::round(share * 1000) / 10) + " %"; }

std::string readable_bytes_of(double bytes) { return readable_bytes(bytes > 0 ? static_cast<std::size_t>(std::min(bytes, 1e18)) : 0); }

std::string bytes_range(double low, double high) {
  const std::string from = readable_bytes_of(low), to = readable_bytes_of(high);
  return from == to ? to : cat(from, " to ", to);
}

}  // namespace tidepool::inline v0::monitor
