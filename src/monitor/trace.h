// What happened when, as Perfetto (ui.perfetto.dev) and chrome://tracing show it.
//
//     const std::string text = trace_json(events, run);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

struct TraceEvent {
  // A launch is shown in its device's queue; everything else in the thread that did it.
  enum Kind : std::uint8_t { zone, operation, launch, upload, download, wait, flush, plan_run };
  Kind kind = zone;
  const char* name = "";    // empty: its kind says it all
  const char* device = "";  // its id; of a zone none
  std::uint32_t thread = 0;
  std::int64_t start = 0, duration = 0;  // nanoseconds by the steady clock, since `enable`
  std::size_t bytes = 0;                 // moved; 0: none
  std::uint64_t count = 0;               // launches of a flush or plan run; 0: none
};
const char* name_of(TraceEvent::Kind kind);

// Events that overlap in a track although they cannot (a GPU's clock is mapped to ours with an error) are made to follow one another.
TIDEPOOL_API std::string trace_json(std::vector<TraceEvent> events, const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
