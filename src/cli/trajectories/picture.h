// Flights as an SVG picture: some paths from the side, and where many of them landed, from above.
#pragma once

#include <string>
#include <vector>

#include "cli/trajectories/flights.h"

namespace tidepool::cli {

class FlightPicture {
 public:
  explicit FlightPicture(const FlightParams& params) : params_(params) {}
  void add(const FlightBlock& block);  // it takes the first few thousand flights that landed
  std::string svg(const std::string& title) const;

 private:
  struct Flown {
    std::vector<float> launch;
    float x, y, apex, time;
  };
  FlightParams params_;
  std::vector<Flown> flights_;
};

}  // namespace tidepool::cli
