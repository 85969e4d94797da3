#include "monitor/report/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "platform/bytes.h"
#include "platform/utf8.h"

namespace tidepool::inline v0::monitor {

namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return std::string(text.data(), end);
}

std::string scientific(double value, int digits) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
  std::string s(text.data(), end);
  const std::size_t exponent = s.find('e') + 1;
  const bool negative = s[exponent] == '-';
  std::size_t zeros = exponent + 1;
  while (zeros + 1 < s.size() && s[zeros] == '0') ++zeros;
  return s.substr(0, exponent) + (negative ? "-" : "") + s.substr(zeros);
}

// Characters that cannot be seen but change what can: those that turn the direction of writing, and other controls.
bool is_hidden(char32_t c) {
  return (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
         c == 0xfeff || c == 0x61c;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent < -4 || exponent > 14) return scientific(value, digits);
  return with_commas(fixed(value, std::max(0, digits - 1 - exponent)));
}

std::string counted(std::uint64_t count, const char* one, const char* many) { return with_commas(count) + ' ' + (count == 1 ? one : many); }

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return number_text(seconds) + " s";
  if (seconds == 0) return "0 s";
  if (std::abs(seconds) < 0.9995e-6) return number_text(seconds * 1e9) + " ns";
  if (std::abs(seconds) < 0.9995e-3) return number_text(seconds * 1e6) + " µs";
  if (std::abs(seconds) < 0.9995) return number_text(seconds * 1e3) + " ms";
  if (std::abs(seconds) < 59.95) return number_text(seconds) + " s";
  const double whole = std::round(std::abs(seconds));
  const std::string sign = seconds < 0 ? "-" : "";
  if (whole < 3600) return sign + fixed(std::floor(whole / 60), 0) + " min " + fixed(std::fmod(whole, 60), 0) + " s";
  const double minutes = std::round(whole / 60);
  return sign + with_commas(fixed(std::floor(minutes / 60), 0)) + " h " + fixed(std::fmod(minutes, 60), 0) + " min";
}

std::string moment_text(double seconds) { return std::abs(seconds) < 59.95 ? fixed(seconds, 1) + " s" : duration_text(seconds); }

std::string percent_text(double share) {
  if (!std::isfinite(share)) return number_text(share) + " %";
  const std::string text = with_commas(fixed(share * 100, 1));
  return (text == "-0.0" ? "0.0" : text) + " %";
}

std::string change_text(double share) {
  const std::string text = percent_text(share);
  return share > 0 && text != "0.0 %" ? '+' + text : text;
}

// Tenths of a per cent are rounded down, and what is missing then goes to those that lost most.
std::vector<std::string> shares_text(const std::vector<double>& shares) {
  std::vector<int> tenths;
  std::vector<std::size_t> order;
  int missing = 1000;
  const auto rest = [&](std::size_t i) { return shares[i] > 0 ? shares[i] * 1000 - tenths[i] : 0; };
  for (const double share : shares) {
    order.push_back(tenths.size());
    tenths.push_back(share > 0 ? static_cast<int>(std::min(share, 1.0) * 1000) : 0);
    missing -= tenths.back();
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rest(a) > rest(b); });
  for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++tenths[order[i]];
  std::vector<std::string> texts;
  for (const int value : tenths) texts.push_back(percent_text(value / 1000.0));
  return texts;
}

std::string clean(std::string_view words) {
  constexpr std::size_t longest = 400;
  std::string out;
  while (!words.empty() && out.size() <= longest) {
    const char32_t c = next_code_point(words);
    if (is_hidden(c)) continue;
    append_utf8(out, c < 0x20 ? U' ' : c);
  }
  if (!words.empty()) out += "…";
  const std::size_t first = out.find_first_not_of(' ');
  return first == std::string::npos ? "" : out.substr(first, out.find_last_not_of(' ') + 1 - first);
}

}  // namespace tidepool::inline v0::monitor
