#include "monitor/event.h"

namespace tidepool::inline v0 {

// At random, so that no program's rhythm meets the same ones each time.
Timing timing_if_due(const EventSink& sink) {
  constexpr std::uint32_t first = 256, one_in = 64;
  static constinit thread_local std::uint32_t seen = 0, state = 0x9e3779b9;
  if (sink.wants_every_operation()) return {steady_nanoseconds(), 1};
  if (seen < first) {
    ++seen;
    return {steady_nanoseconds(), 1};
  }
  state = state * 1664525 + 1013904223;
  return (state >> 16) % one_in == 0 ? Timing{steady_nanoseconds(), one_in} : Timing();
}

}  // namespace tidepool::inline v0
