#include "device/faults.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <charconv>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tidepool::inline v0 {

constinit std::atomic<bool> any_faults{false};

namespace {

struct Planned {
  Fault fault;
  FaultPoint point;
  std::uint64_t at;
  std::uint64_t seen = 0;
};

struct State {
  std::mutex mutex;
  std::vector<Planned> planned;
};

State& state() {
  static auto& only = *new State;  // never destroyed: devices may be used after main
  return only;
}

Planned parse(std::string_view text) {
  const auto unreadable = [&](std::string_view what) {
    return ArgumentError("faults",
                         cat("cannot read '", text, "': ", what, "; wanted FAULT@POINT:N with FAULT device_lost or out_of_memory, ",
                             "POINT launch, submit, wait or allocate, and N from 1"));
  };
  const std::size_t at = text.find('@'), colon = text.find(':');
  if (at == text.npos || colon == text.npos || colon < at) throw unreadable("no '@' and ':' in it");
  const std::string_view fault = text.substr(0, at), point = text.substr(at + 1, colon - at - 1), number = text.substr(colon + 1);
  Planned planned{};
  if (fault == "device_lost")
    planned.fault = Fault::device_lost;
  else if (fault == "out_of_memory")
    planned.fault = Fault::out_of_memory;
  else
    throw unreadable(cat("no fault is called '", fault, "'"));
  if (point == "launch")
    planned.point = FaultPoint::launch;
  else if (point == "submit")
    planned.point = FaultPoint::submit;
  else if (point == "wait")
    planned.point = FaultPoint::wait;
  else if (point == "allocate")
    planned.point = FaultPoint::allocate;
  else
    throw unreadable(cat("no point is called '", point, "'"));
  if ((planned.fault == Fault::out_of_memory) != (planned.point == FaultPoint::allocate))
    throw unreadable("out_of_memory goes with allocate, device_lost with the others");
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), planned.at);
  if (error != std::errc{} || end != number.data() + number.size() || planned.at == 0) throw unreadable("the number is off");
  return planned;
}

}  // namespace

void set_faults(std::string_view text) {
  std::vector<Planned> planned;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    planned.push_back(parse(text.substr(0, comma)));
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  const std::scoped_lock lock(state().mutex);
  state().planned = std::move(planned);
  any_faults.store(!state().planned.empty(), std::memory_order_relaxed);
}

Fault next_fault(FaultPoint point) {
  const std::scoped_lock lock(state().mutex);
  Fault found = Fault::none;
  for (Planned& planned : state().planned)
    if (planned.point == point && ++planned.seen == planned.at) found = planned.fault;
  return found;
}

}  // namespace tidepool::inline v0
