// The one stream of events that all watching is fed from. The waist and the pool report here; nobody else does.
// With no sink set, reporting is a load and a branch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

class BlockPool;

struct Event {
  enum Kind : std::uint8_t { launch, flush, allocate, lend, reuse, give_back, evict, upload, download, plan_run, wait, timed, called };
  Kind kind = launch;
  bool in_plan = false;        // a launch that was timed in a run of a plan
  const char* device = "";     // its id
  const char* name = "";       // the kernel, for launches and their times; the operation, for operations
  const char* operation = "";  // that a launch belongs to
  std::size_t bytes = 0;
  std::size_t asked = 0;          // of a block that is lent, for the first time (lend) or again (reuse): what was asked for
  const void* block = nullptr;    // that is lent or comes back
  std::uint64_t count = 0;        // launches in a flush or plan run; of what was timed, how many it stands for
  std::int64_t start = 0;         // nanoseconds of the steady clock; 0: not timed
  std::uint64_t nanoseconds = 0;  // that it took; of a plan's run, what its last timed one took
};

// Sinks are never destroyed while a device may work.
class EventSink {
 public:
  explicit EventSink(bool times = false) : times_(times), every_operation_(times) {}
  virtual void on(const Event& event) noexcept = 0;  // called with the device's lock held: be quick, call nothing back
  // Called with the device's lock held, once for each `want_look`, when the device next submits.
  virtual void look([[maybe_unused]] const char* device, [[maybe_unused]] BlockPool& pool) noexcept {}

  // Whether launches are to be timed: those of operations that are, and one run in 64 of a plan.
  bool wants_times() const { return times_.load(std::memory_order_relaxed); }
  // Whether every operation is timed, not only a thread's first 256 and then one in 64.
  bool wants_every_operation() const { return every_operation_.load(std::memory_order_relaxed); }
  std::uint32_t looks_wanted() const { return looks_.load(std::memory_order_relaxed); }

 protected:
  ~EventSink() = default;
  void want_times(bool times, bool every_operation) {
    times_.store(times, std::memory_order_relaxed);
    every_operation_.store(every_operation, std::memory_order_relaxed);
  }
  void want_look() { looks_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<bool> times_, every_operation_;
  std::atomic<std::uint32_t> looks_{0};
};

inline std::atomic<EventSink*> event_sink{nullptr};

inline std::int64_t steady_nanoseconds() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// The event is made only when somebody listens: report([&] { return Event{…}; }).
template <class MakeEvent>
inline void report(MakeEvent&& make) {
  if (EventSink* sink = event_sink.load(std::memory_order_acquire)) [[unlikely]]
    sink->on(make());
}

// When something began, and how many of its kind its time stands for. Reading the clock at every small thing would cost as much as
// the thing.
struct Timing {
  std::int64_t start = 0;  // 0: this one is not timed
  std::uint32_t stands_for = 0;
  std::uint64_t taken() const { return start ? static_cast<std::uint64_t>(steady_nanoseconds() - start) : 0; }
};
Timing timing_if_due(const EventSink& sink);
inline Timing timing() {
  const EventSink* sink = event_sink.load(std::memory_order_acquire);
  return sink ? timing_if_due(*sink) : Timing();
}

// Does the work and reports how long it took.
template <class Function>
inline void report_timed(const Event& event, Function&& work) {
  constexpr std::size_t small = 4096;  // bytes
  EventSink* sink = event_sink.load(std::memory_order_acquire);
  if (!sink) [[likely]]
    return work();
  const bool always = event.kind == Event::wait || event.bytes >= small;
  const Timing timing = always ? Timing{steady_nanoseconds(), 1} : timing_if_due(*sink);
  work();
  Event told = event;
  told.start = timing.start;
  told.count = timing.stands_for;
  told.nanoseconds = timing.taken();
  sink->on(told);
}

}  // namespace tidepool::inline v0
