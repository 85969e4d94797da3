// Where the server gets what it serves: this process, or what a test makes up. All calls come from the server's own thread.
#pragma once

#include <memory>
#include <string>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor::web {

struct RunSource {
  virtual ~RunSource() = default;
  virtual RunRecord record(bool with_pool) = 0;
  virtual std::string metrics() = 0;  // Prometheus text
  virtual std::string trace() = 0;    // for Perfetto
  virtual std::string csv() = 0;      // the samples
  virtual std::string lines() = 0;    // the run file
  virtual std::string report() = 0;   // HTML
};

std::unique_ptr<RunSource> this_process();

}  // namespace tidepool::inline v0::monitor::web
