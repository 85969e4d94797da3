#include "monitor/report/svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr double width = 1000, height = 300;
constexpr std::size_t most_buckets = 300;  // more than a screen shows apart

std::string number(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1);
  std::string s(text.data(), end);
  return s.ends_with(".0") ? s.substr(0, s.size() - 2) : s;
}

double nice_step(double span, double unit) {
  const double rough = span / 4;
  if (unit == 1024) return std::exp2(std::ceil(std::log2(rough)));
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= rough) return step * power;
  return 10 * power;
}

// Of what is drawn: areas on top of each other, lines by themselves.
std::pair<double, double> range_of(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](double value) {
    if (!std::isfinite(value)) return;
    value = std::clamp(value, -1e100, 1e100);  // differences stay finite
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (std::size_t i = 0; i < chart.times.size(); ++i) {
    double sum = 0;
    for (const Chart::Series& series : chart.series)
      if (chart.stacked && !series.outline)
        sum += series.values[i];
      else
        take(series.values[i]);
    if (chart.stacked) take(sum);
  }
  if (chart.line) take(*chart.line);
  if (low > high) return {0, 1};
  if (chart.highest > 0) high = std::min(high, chart.highest);
  return {chart.stacked ? 0 : low, high};
}

// Which samples to draw so that nothing that stands out is lost: of each bucket the lowest and the highest, in their order.
std::vector<std::size_t> drawn(const std::vector<double>& values, bool highest_only) {
  std::vector<std::size_t> all;
  const std::size_t size = values.size(), buckets = size <= 2 * most_buckets ? size : most_buckets;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = b * size / buckets, end = (b + 1) * size / buckets;
    std::size_t lowest = begin, highest = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(values[i])) continue;
      if (!(values[i] >= values[lowest])) lowest = i;
      if (!(values[i] <= values[highest])) highest = i;
    }
    if (!highest_only && lowest != highest) all.push_back(std::min(lowest, highest));
    all.push_back(highest_only ? highest : std::max(lowest, highest));
  }
  return all;
}

class Drawing {
 public:
  Drawing(const Chart& chart, const Axis& axis) : chart_(chart), axis_(axis), start_(chart.times.front()), end_(chart.times.back()) {}

  std::string draw() {
    for (const double tick : axis_.ticks) across(tick, "grid");
    if (chart_.stacked) areas();
    for (const Chart::Series& series : chart_.series)
      if (!chart_.stacked || series.outline) line(series);
    if (chart_.line) across(*chart_.line, "across");
    return std::move(out_);
  }

 private:
  std::string x(std::size_t i) const { return number(end_ > start_ ? (chart_.times[i] - start_) / (end_ - start_) * width : 0); }
  std::string y(double value) const { return number((1 - axis_.place(value)) * height); }

  void across(double value, const char* what) { out_ += cat("<path class=\"", what, "\" d=\"M0 ", y(value), "H", number(width), "\"/>"); }

  void line(const Chart::Series& series) {
    std::string path;
    bool pen_down = false;
    for (const std::size_t i : drawn(series.values, false)) {
      const bool there = std::isfinite(series.values[i]);
      if (there) path += cat(pen_down ? "L" : "M", x(i), ' ', y(series.values[i]), pen_down ? "" : "h0");  // a lone one is a dot
      pen_down = there;
    }
    out_ += cat("<path class=\"line c", series.colour, "\" d=\"", path, "\"/>");
  }

  void areas() {
    std::vector<double> sums(chart_.times.size());
    for (const Chart::Series& series : chart_.series)
      for (std::size_t i = 0; i < sums.size() && !series.outline; ++i) sums[i] += series.values[i];
    const std::vector<std::size_t> some = drawn(sums, true);
    std::vector<double> below(chart_.times.size());
    for (const Chart::Series& series : chart_.series) {
      if (series.outline) continue;
      std::string there, back;
      for (const std::size_t i : some) {
        there += cat(there.empty() ? "M" : "L", x(i), ' ', y(below[i] + series.values[i]));
        back.insert(0, cat("L", x(i), ' ', y(below[i])));
        below[i] += series.values[i];
      }
      out_ += cat("<path class=\"area c", series.colour, "\" d=\"", there, back, "Z\"/>");
    }
  }

  const Chart& chart_;
  const Axis& axis_;
  double start_, end_;
  std::string out_;
};

}  // namespace

double Axis::place(double value) const {
  const auto scaled = [&](double v) { return logarithmic ? std::log10(std::max(v, std::numeric_limits<double>::min())) : v; };
  return std::clamp((scaled(value) - scaled(low)) / (scaled(high) - scaled(low)), 0.0, 1.0);
}

Axis axis_of(const Chart& chart) {
  const auto [low, high] = range_of(chart);
  Axis axis{.logarithmic = chart.logarithmic && low > 0};
  if (axis.logarithmic) {
    const double first = std::floor(std::log10(low)), last = std::max(first + 1, std::ceil(std::log10(high)));
    const double step = std::ceil((last - first) / 5), steps = std::ceil((last - first) / step);
    for (double i = 0; i <= steps; ++i) axis.ticks.push_back(std::pow(10, first + i * step));
  } else {
    // From zero, unless all that is to be seen is far above it.
    const double floor = low >= 0 && high - low > 0.2 * high ? 0 : low;
    const double span = high > floor ? high - floor : std::max(std::abs(high), 1.0);
    const double step = nice_step(span, chart.unit), first = std::floor(floor / step);
    const double steps = std::max(1.0, std::ceil(high / step - 1e-9) - first);
    for (double i = 0; i <= steps; ++i) axis.ticks.push_back((first + i) * step);
  }
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  return axis;
}

std::string svg_of(const Chart& chart, const Axis& axis, const std::string& label) {
  return cat("<svg role=\"img\" aria-label=\"", label, "\" viewBox=\"0 0 ", number(width), ' ', number(height),
             "\" preserveAspectRatio=\"none\">", Drawing(chart, axis).draw(), "</svg>");
}

std::string svg_of(const Bar& bar, const std::string& label) {
  std::string out = cat("<svg class=\"bar\" role=\"img\" aria-label=\"", label, "\" viewBox=\"0 0 ", number(width),
                        " 20\" preserveAspectRatio=\"none\">");
  double at = 0;
  for (const Bar::Part& part : bar.parts) {
    if (part.share > 0)
      out += cat("<rect class=\"area c", part.colour, "\" x=\"", number(at * width), "\" y=\"0\" width=\"", number(part.share * width),
                 "\" height=\"20\"/>");
    at += part.share;
  }
  return out + "</svg>";
}

}  // namespace tidepool::inline v0::monitor
