// A run as a file that can be read while it grows, line by line: {"type":"run",…} with what the record says once, then a line for each
// sample, epoch, kernel, operation, anomaly, advice, event and figure, and one for the pool.
//
//     const RunRecord run = read_run("run.jsonl");
#pragma once

#include <string>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

TIDEPOOL_API std::string run_lines(const RunRecord& run);

// Also reads a record that is one JSON document (to_json). A last line that was cut off, as a killed process leaves it, is passed over;
// IoError names file and line of anything else that is wrong. Types of lines that are not known are passed over.
TIDEPOOL_API RunRecord read_run(const std::string& path);

}  // namespace tidepool::inline v0::monitor
