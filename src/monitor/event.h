// The one stream of events that all watching is fed from. The waist and the pool report here; nobody else does.
// With no sink set, reporting is a load and a branch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

struct Event {
  enum Kind : std::uint8_t { launch, flush, allocate, reuse, give_back, evict, upload, download, plan_run, wait, timed };
  Kind kind = launch;
  const char* device = "";  // its id
  const char* name = "";    // the kernel, for launches and their times
  std::size_t bytes = 0;
  std::uint64_t count = 0;        // launches in a flush or plan run
  std::uint64_t nanoseconds = 0;  // that a launch took on the device
};

class EventSink {
 public:
  virtual void on(const Event& event) noexcept = 0;  // called with the device's lock held: be quick, call nothing back
  // Whether launches are to be timed: all that are on their own, and one run in 64 of a plan.
  virtual bool wants_times() const noexcept { return false; }

 protected:
  ~EventSink() = default;
};

inline std::atomic<EventSink*> event_sink{nullptr};

// The event is made only when somebody listens: report([&] { return Event{…}; }).
template <class MakeEvent>
inline void report(MakeEvent&& make) {
  if (EventSink* sink = event_sink.load(std::memory_order_acquire)) [[unlikely]]
    sink->on(make());
}

}  // namespace tidepool::inline v0
