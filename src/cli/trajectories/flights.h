// Many flights, block by block, so that memory does not grow with their number. Which flight is launched how follows from the seed and the
// flight's number alone: not from the device, nor from how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/trajectories/balls.h"
#include "cli/trajectories/fly.h"

namespace tidepool::cli {

struct FlightOptions {
  std::int64_t count = 0;
  Method method = Method::rk4;
  FlightParams params{};
  LaunchRanges launches{};
  std::uint64_t seed = 1;
};

constexpr std::int64_t flights_of_a_block = 65'536;

// What a block of flights gave, on the host: value i of row r is [r * flights_of_a_block + i].
struct FlightBlock {
  std::int64_t first = 0, size = 0;
  std::vector<float> launches, outcomes;

  float launch(LaunchRow row, std::int64_t i) const { return launches[static_cast<std::size_t>(row * flights_of_a_block + i)]; }
  float outcome(OutcomeRow row, std::int64_t i) const { return outcomes[static_cast<std::size_t>(row * flights_of_a_block + i)]; }
  bool landed(std::int64_t i) const { return outcome(outcome_steps, i) > 0; }
};

// Flies all of them on the default device and hands every block to `take`, in order, until that says false. A device that is lost is made
// anew, or left for the next, and flights that were not handed over are flown again. The result: how often that was.
std::int64_t fly_all(const FlightOptions& options, const std::function<bool(const FlightBlock& block)>& take);

}  // namespace tidepool::cli
