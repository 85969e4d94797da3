// How long launches take, for whoever listens.
#include "device/stream.h"
#include "monitor/event.h"

namespace tidepool::inline v0 {

// Timing begins with a batch of its own.
void Stream::follow_sink() {
  const EventSink* sink = event_sink.load(std::memory_order_acquire);
  const bool wanted = sink && sink->wants_times();
  if (wanted != timing_) [[unlikely]]
    timing_ = backend_->time_launches(wanted) && wanted;
}

void Stream::report_times() {
  if (!timing_) [[likely]]
    return;
  backend_->take_times(times_);
  for (const LaunchTime& time : times_)
    report([&] {
      return Event{.kind = Event::timed,
                   .device = device_id(),
                   .name = time.kernel->name,
                   .nanoseconds = static_cast<std::uint64_t>(time.time.count())};
    });
  times_.clear();
}

}  // namespace tidepool::inline v0
