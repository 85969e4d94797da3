// What a record says of where the run is, for lines of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record.h"

namespace tidepool::cli {

std::string state_of(const monitor::RunRecord& run);  // "training", "finished", …
std::int64_t current_epoch(const monitor::RunTraining& training);
double done_share(const monitor::RunTraining& training);

// Of the samples that have it.
std::vector<double> present(const monitor::RunRecord& run, std::optional<double> monitor::Sample::*field);
std::vector<double> step_times(const monitor::RunRecord& run);  // seconds

}  // namespace tidepool::cli
