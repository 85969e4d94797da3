// Flights in files, written as they come, in the place of the old file when all are there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/trajectories/flights.h"

namespace tidepool::cli {

// What the columns are called, in both formats: a row is a flight. One that did not land has no numbers (nan) from x on.
const std::vector<std::string>& flight_columns();

class FlightFile {
 public:
  virtual ~FlightFile() = default;
  virtual void add(const FlightBlock& block) = 0;
  virtual void finish() = 0;  // until then the file is as it was

  // By its ending, .csv or .npy (f32 [count, columns]); IoError where it cannot be written.
  static std::unique_ptr<FlightFile> open(const std::string& path, std::int64_t count);
  static bool knows(const std::string& path);
};

}  // namespace tidepool::cli
