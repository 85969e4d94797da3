#include "backend/faults.h"

#include <tidepool/error.h>

#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/shim.h"
#endif
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/log.h"
#include "platform/one_line.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tidepool::inline v0 {

constinit std::atomic<bool> any_faults{false};

namespace {

constexpr std::string_view points[] = {"launch", "submit", "wait", "allocate", "upload", "download", "alloc"};  // as in FaultPoint

struct Named {
  std::string_view name;
  Fault fault;
  std::vector<FaultPoint> at;
};
const std::vector<Named>& known_faults() {
  using enum FaultPoint;
  static const auto& all = *new std::vector<Named>{{"device_lost", Fault::device_lost, {launch, submit, wait, allocate, upload, download}},
                                                   {"hang", Fault::hang, {wait}},
                                                   {"slow", Fault::slow, {launch, submit, wait, upload, download}},
                                                   {"out_of_memory", Fault::out_of_memory, {allocate}},
                                                   {"host_out_of_memory", Fault::host_out_of_memory, {alloc}}};
  return all;
}

struct Planned {
  Fault fault = Fault::none;
  int vulkan_result = 0;  // instead of a fault
  std::string point;
  std::uint64_t at = 0;
  bool every = false;
};

struct State {
  std::mutex mutex;
  std::vector<Planned> planned;
  std::map<std::string, std::uint64_t, std::less<>> seen;  // by point
  std::int64_t happened = 0;
};

State& state() {
  static auto& only = *new State;  // never destroyed: devices may be used after main
  return only;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Planned read() const {
    const std::size_t at = text_.find('@'), colon = text_.find(':');
    if (at == text_.npos || colon == text_.npos || colon < at) throw unreadable("no '@' and ':' in it");
    const std::string_view fault = text_.substr(0, at), point = text_.substr(at + 1, colon - at - 1);
    std::string_view number = text_.substr(colon + 1);
    Planned planned;
    planned.point = point;
    if (point.starts_with("vk"))
      read_vulkan(planned, fault);
    else
      read_fault(planned, fault);
    planned.every = number.starts_with("every:");
    if (planned.every) number.remove_prefix(6);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), planned.at);
    if (error != std::errc{} || end != number.data() + number.size() || planned.at == 0) throw unreadable("the number is off");
    return planned;
  }

 private:
  ArgumentError unreadable(const std::string& what) const {
    return ArgumentError("faults", cat("cannot read ", shown(text_), ": ", what,
                                       "; wanted FAULT@POINT:N or FAULT@POINT:every:N with N from 1, such as device_lost@submit:37"));
  }
  void read_fault(Planned& planned, std::string_view name) const {
    std::string known;
    for (const Named& named : known_faults()) {
      known += cat(known.empty() ? "" : ", ", named.name);
      if (named.name != name) continue;
      planned.fault = named.fault;
      std::string where;
      for (const FaultPoint point : named.at) {
        const std::string_view allowed = points[static_cast<std::size_t>(point)];
        if (allowed == planned.point) return;
        where += cat(where.empty() ? "" : ", ", allowed);
      }
      throw unreadable(cat(shown(name), " does not happen at ", shown(planned.point), ", but at ", where));
    }
    throw unreadable(cat("no fault is called ", shown(name), "; there are ", known));
  }
#ifdef TIDEPOOL_VULKAN
  void read_vulkan(Planned& planned, std::string_view result) const {
    if (!is_shimmed(planned.point)) throw unreadable(cat(shown(planned.point), " is no function of Vulkan that gives a result here"));
    const std::optional<int> value = vulkan_result(result);
    if (!value || *value == 0) throw unreadable(cat(shown(result), " is no failure of Vulkan; VK_ERROR_DEVICE_LOST is one"));
    planned.vulkan_result = *value;
  }
#else
  void read_vulkan(Planned&, std::string_view) const { throw unreadable("this was built without Vulkan"); }
#endif

  std::string_view text_;
};

// What strikes at this point, which is reached once more now.
const Planned* reach(State& s, std::string_view point) {
  auto found = s.seen.find(point);
  if (found == s.seen.end()) found = s.seen.emplace(point, 0).first;
  const std::uint64_t times = ++found->second;
  const Planned* strikes = nullptr;
  for (const Planned& planned : s.planned)
    if (planned.point == point && (planned.every ? times % planned.at == 0 : times == planned.at)) strikes = &planned;
  s.happened += strikes != nullptr;
  return strikes;
}

void begin(std::vector<Planned> planned, bool counting) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.planned = std::move(planned);
  s.seen.clear();
  s.happened = 0;
  any_faults.store(counting || !s.planned.empty(), std::memory_order_relaxed);
}

std::vector<Planned> read_all(std::string_view text) {
  std::vector<Planned> planned;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    planned.push_back(Reader(text.substr(0, comma)).read());
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  return planned;
}

}  // namespace

void faults_from_outside() {
  [[maybe_unused]] static const bool once = [] {
    if (const auto wanted = environment("TIDEPOOL_FAULT")) try {
        begin(read_all(*wanted), false);
      } catch (const ArgumentError& error) {
        warn(cat("TIDEPOOL_FAULT is ignored: ", error.what()));
      }
    return true;
  }();
}

Fault next_fault(FaultPoint point) {
  Fault fault = Fault::none;
  {
    const std::scoped_lock lock(state().mutex);
    if (const Planned* strikes = reach(state(), points[static_cast<std::size_t>(point)])) fault = strikes->fault;
  }
  if (fault != Fault::slow) return fault;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return Fault::none;
}

int next_vulkan_fault(const char* function) {
  const std::scoped_lock lock(state().mutex);
  const Planned* strikes = reach(state(), function);
  return strikes ? strikes->vulkan_result : 0;
}

void host_out_of_memory(const char* operation) { throw OutOfMemory(operation, "the host has no memory left (a fault that was asked for)"); }

namespace faults {

// What comes from outside comes first, or it would replace what is set before the first device is used.
void set(std::string_view text) {
  faults_from_outside();
  begin(read_all(text), false);
}

void count() {
  faults_from_outside();
  begin({}, true);
}

std::int64_t reached(std::string_view point) {
  const std::scoped_lock lock(state().mutex);
  const auto found = state().seen.find(point);
  return found == state().seen.end() ? 0 : static_cast<std::int64_t>(found->second);
}

std::int64_t happened() {
  const std::scoped_lock lock(state().mutex);
  return state().happened;
}

}  // namespace faults

}  // namespace tidepool::inline v0
