// How long launches and operations take, for whoever listens.
#include "device/plan.h"
#include "device/stream.h"
#include "monitor/event.h"

#include <algorithm>
#include <chrono>

namespace tidepool::inline v0 {

// Timing begins with a batch of its own.
void Stream::follow_sink() {
  EventSink* sink = event_sink.load(std::memory_order_acquire);
  const bool wanted = sink && sink->wants_times();
  if (wanted != timing_) [[unlikely]] {
    timing_ = backend_->time_launches(wanted) && wanted;
    if (timing_) times_.reserve(1024);
  }
  if (sink && sink->looks_wanted() != looks_) [[unlikely]] {
    looks_ = sink->looks_wanted();
    sink->look(device_id(), pool_);
  }
}

void Stream::report_operation() {
  report([&] {
    return Event{.kind = Event::called,
                 .device = device_id(),
                 .name = operation_,
                 .count = operation_time_.stands_for,
                 .start = operation_time_.start,
                 .nanoseconds = operation_time_.taken()};
  });
}

// Of a submission that was timed, before the next of its kind.
void Stream::finish_timed(Serial serial) {
  if (serial > finished_)
    wait(serial);
  else
    report_times();
}

// The times of one run lie together.
void Stream::report_times() {
  if (!timing_) [[likely]]
    return;
  backend_->take_times(times_);
  for (auto first = times_.begin(); first != times_.end();) {
    const Recording* recording = first->recording;
    const auto last = std::find_if(first, times_.end(), [&](const LaunchTime& time) { return time.recording != recording; });
    std::uint64_t stands_for = 1;  // of a plan's run
    if (recording) {
      std::chrono::nanoseconds all{0};
      for (auto time = first; time != last; ++time) all += time->time;
      for (PlanState* plan : plans_) stands_for = std::max(stands_for, plan->took(*recording, all));
    }
    for (; first != last; ++first)
      report([&] {
        return Event{.kind = Event::timed,
                     .in_plan = recording != nullptr,
                     .device = device_id(),
                     .name = first->kernel->name,
                     .operation = first->operation,
                     .count = recording ? stands_for : first->stands_for,
                     .start = first->start.count(),
                     .nanoseconds = static_cast<std::uint64_t>(first->time.count())};
      });
  }
  times_.clear();
}

}  // namespace tidepool::inline v0
