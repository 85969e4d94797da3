#include "cli/trajectories/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/trajectories/flight.h"
#include "platform/cat.h"

namespace tidepool::cli {

namespace {

constexpr std::size_t most_points = 3000, most_paths = 48;
constexpr double left = 60, right = 780, width = 800;

// Numbers that people count in: 1, 2 or 5 and zeros, about `parts` of them in `span`.
double tick_of(double span, double parts) {
  const double rough = span / parts, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value == 0 ? 0.0 : value);
  return text;
}

// One of the two drawings: where it lies, and which part of the world it shows.
struct Panel {
  double top, bottom;           // in the picture
  double near, far, low, high;  // in the world
  double x(double value) const { return left + (right - left) * (value - near) / (far - near); }
  double y(double value) const { return bottom - (bottom - top) * (value - low) / (high - low); }

  std::string axes(const std::string& name) const {
    std::string out = cat("<rect x=\"", fixed(left), "\" y=\"", fixed(top), "\" width=\"", fixed(right - left), "\" height=\"",
                          fixed(bottom - top), "\" fill=\"none\" stroke=\"#bbb\"/>\n");
    const auto label = [&](double at_x, double at_y, const char* anchor, double value) {
      out += cat("<text x=\"", fixed(at_x), "\" y=\"", fixed(at_y), "\" text-anchor=\"", anchor, "\">", value, "</text>\n");
    };
    const double across = tick_of(far - near, 9), up = tick_of(high - low, 5);
    for (double i = std::ceil(near / across); i * across <= far; ++i) {
      out += cat("<path d=\"M", fixed(x(i * across)), ' ', fixed(top), 'V', fixed(bottom), "\" stroke=\"#eee\"/>\n");
      label(x(i * across), bottom + 16, "middle", i == 0 ? 0 : i * across);
    }
    for (double i = std::ceil(low / up); i * up <= high; ++i) {
      out += cat("<path d=\"M", fixed(left), ' ', fixed(y(i * up)), 'H', fixed(right), "\" stroke=\"#eee\"/>\n");
      label(left - 6, y(i * up) + 4, "end", i == 0 ? 0 : i * up);
    }
    return out + cat("<text x=\"", fixed(left), "\" y=\"", fixed(top - 8), "\">", name, "</text>\n");
  }
};

}  // namespace

void FlightPicture::add(const FlightBlock& block) {
  for (std::int64_t i = 0; i < block.size && flights_.size() < most_points; ++i) {
    if (!block.landed(i)) continue;
    std::vector<float> launch;
    for (int r = 0; r < launch_rows; ++r) launch.push_back(block.launch(static_cast<LaunchRow>(r), i));
    flights_.push_back(
        {launch, block.outcome(outcome_x, i), block.outcome(outcome_y, i), block.outcome(outcome_apex, i), block.outcome(outcome_time, i)});
  }
}

std::string FlightPicture::svg(const std::string& title) const {
  double far = 1, near = 0, high = 1, leftmost = 1, rightmost = -1;
  for (const Flown& flight : flights_) {
    far = std::max(far, static_cast<double>(flight.x));
    near = std::min(near, static_cast<double>(flight.x));
    high = std::max(high, static_cast<double>(flight.apex));
    leftmost = std::max(leftmost, static_cast<double>(flight.y));
    rightmost = std::min(rightmost, static_cast<double>(flight.y));
  }
  far += 0.02 * (far - near);
  const double margin = 0.05 * (leftmost - rightmost);
  const Panel side{.top = 60, .bottom = 300, .near = near, .far = far, .low = 0, .high = 1.05 * high};
  const Panel above{.top = 350, .bottom = 590, .near = near, .far = far, .low = rightmost - margin, .high = leftmost + margin};
  std::string out =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width,
          " 640\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"", width, "\" height=\"640\" fill=\"white\"/>\n<text x=\"",
          left, "\" y=\"24\" font-size=\"16\">", title, "</text>\n", side.axes("from the side: height, m"),
          above.axes("where they land, from above: to the left, m"), "<text x=\"", right,
          "\" y=\"626\" text-anchor=\"end\">ahead, m</text>\n<g fill=\"none\" stroke=\"#27a\" stroke-opacity=\"0.55\">\n");
  for (std::size_t i = 0; i < std::min(flights_.size(), most_paths); ++i) {
    const Flown& flight = flights_[i];
    const plain::Launch launch{flight.launch[launch_speed], flight.launch[launch_elevation], flight.launch[launch_azimuth],
                               flight.launch[launch_spin], flight.launch[launch_tilt]};
    const plain::Axis axis = plain::axis_of(launch);
    plain::State state = plain::start_of(params_, launch);
    constexpr int pieces = 32, steps = 8;
    const double step = static_cast<double>(flight.time) / (pieces * steps);
    out += cat("<path d=\"M", fixed(side.x(state.x)), ' ', fixed(side.y(state.z)));
    for (int piece = 0; piece < pieces; ++piece) {
      for (int k = 0; k < steps; ++k) state = plain::rk4(params_, axis, state, step);
      out += cat('L', fixed(side.x(state.x)), ' ', fixed(side.y(std::max(state.z, 0.0))));
    }
    out += "\"/>\n";
  }
  out += "</g>\n<path fill=\"none\" stroke=\"#c33\" stroke-opacity=\"0.45\" stroke-width=\"2.4\" stroke-linecap=\"round\" d=\"";
  for (const Flown& flight : flights_)
    out += cat('M', fixed(above.x(static_cast<double>(flight.x))), ' ', fixed(above.y(static_cast<double>(flight.y))), "h0");
  return out + "\"/>\n</svg>\n";
}

}  // namespace tidepool::cli
