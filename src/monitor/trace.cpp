#include "monitor/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "monitor/number_text.h"
#include "monitor/record_json.h"

namespace tidepool::inline v0::monitor {

namespace {

std::int64_t end_of(const TraceEvent& e) { return e.start + e.duration; }

// What contains another comes first.
bool comes_later(const TraceEvent& a, const TraceEvent& b) { return a.start != b.start ? a.start > b.start : a.duration < b.duration; }

// Times that can be added up, from 0 on.
void tame(TraceEvent& e) {
  e.duration = std::clamp<std::int64_t>(e.duration, 0, std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(e.start, 0));
  if (e.start >= 0) return;
  e.duration = std::max<std::int64_t>(end_of(e), 0);
  e.start = 0;
}

// The events of one track, in order, each inside what it began in: one that would outlast that begins when it has ended.
std::vector<TraceEvent> nested(std::vector<TraceEvent> events) {
  std::priority_queue waiting(comes_later, std::move(events));
  std::vector<TraceEvent> done;
  done.reserve(waiting.size());
  std::vector<std::int64_t> open;  // the ends of what the next event may be inside of; the innermost last
  while (!waiting.empty()) {
    TraceEvent event = waiting.top();
    waiting.pop();
    while (!open.empty() && open.back() <= event.start) open.pop_back();
    // Ends grow outwards: this is the outermost that it would outlast.
    const auto outlasted = std::ranges::partition_point(open, [&](std::int64_t end) { return end >= end_of(event); });
    if (outlasted != open.end()) {
      event.duration = end_of(event) - *outlasted;
      event.start = *outlasted;
      waiting.push(event);
      continue;
    }
    open.push_back(end_of(event));
    done.push_back(event);
  }
  return done;
}

// The entries of "traceEvents", with their time.
class Entries {
 public:
  explicit Entries(const RunRecord& run) : run_(run) {}

  void metadata(const char* what, std::size_t track, std::string_view name) {
    out_ += cat(out_.empty() ? "" : ",\n", R"({"ph":"M","pid":1,"tid":)", track, R"(,"name":")", what, R"(","args":{"name":)", quoted(name),
                "}}");
  }

  void complete(std::size_t track, const TraceEvent& e) {  // there may be a great many
    std::string text = R"({"ph":"X","pid":1,"tid":)";
    append_number(text, track);
    text.append(R"(,"cat":")").append(name_of(e.kind)).append(R"(","name":)");
    text.append(quoted_once(e.name && *e.name ? e.name : name_of(e.kind))).append(",\"ts\":");
    append_microseconds(text, e.start);
    text += ",\"dur\":";
    append_microseconds(text, e.duration);
    text += ",\"args\":{";
    const auto key = [&](const char* name) { text.append(text.ends_with('{') ? "\"" : ",\"").append(name).append("\":"); };
    if (e.kind != TraceEvent::launch && e.device && *e.device) key("device"), text += quoted_once(e.device);
    if (e.bytes > 0) key("bytes"), append_number(text, e.bytes);
    if (e.count > 0) key("launches"), append_number(text, e.count);
    entries_.emplace_back(e.start, text + "}}");
  }

  void counters() {
    for (const Sample& s : run_.samples) {
      std::string bytes;
      for (std::size_t i = 0; i < std::min(s.by_tag.size(), memory_tags); ++i)
        bytes += cat(i ? "," : "", '"', name_of(static_cast<MemoryTag>(i)), "\":", s.by_tag[i]);
      if (!bytes.empty()) at(s.time, cat(R"("ph":"C","name":"memory, bytes","args":{)", bytes, '}'));
      if (s.loss && std::isfinite(*s.loss)) {
        std::string loss;
        append_number(loss, *s.loss);
        at(s.time, cat(R"("ph":"C","name":"loss","args":{"loss":)", loss, '}'));
      }
    }
  }

  void instants() {
    for (const RunEvent& e : run_.events) instant(e.time, "event", e.kind + (e.device.empty() ? "" : ": " + e.device), e.message);
    for (const Anomaly& a : run_.anomalies) instant(a.time, "anomaly", cat("anomaly: ", name_of(a.kind)), a.message);
  }

  std::string text() && {
    std::ranges::stable_sort(entries_, {}, &std::pair<std::int64_t, std::string>::first);
    for (const auto& [time, entry] : entries_) {
      if (!out_.empty()) out_ += ",\n";
      out_ += entry;
    }
    return std::move(out_);
  }

 private:
  static std::string quoted(std::string_view text) { return text_of(OrderedJson(text)); }
  // Names of events are few, and each is at one place.
  const std::string& quoted_once(const char* text) {
    std::string& known = quoted_[text];
    if (known.empty()) known = quoted(text);
    return known;
  }
  static void append_microseconds(std::string& to, std::int64_t nanoseconds) {
    append_number(to, nanoseconds / 1000);
    const auto rest = static_cast<int>(nanoseconds % 1000);
    if (rest == 0) return;
    to += '.';
    for (const int digit : {rest / 100, rest / 10 % 10, rest % 10}) to += static_cast<char>('0' + digit);
  }
  void at(double seconds, std::string_view rest) {
    if (!(seconds >= 0 && seconds < 9e9)) return;  // no time of ours
    const auto nanoseconds = static_cast<std::int64_t>(seconds * 1e9);
    std::string text = "{\"pid\":1,\"ts\":";
    append_microseconds(text, nanoseconds);
    entries_.emplace_back(nanoseconds, cat(text, ',', rest, '}'));
  }
  void instant(double seconds, const char* category, std::string_view name, std::string_view message) {
    at(seconds,
       cat(R"("ph":"i","s":"p","tid":0,"cat":")", category, R"(","name":)", quoted(name), R"(,"args":{"message":)", quoted(message), "}"));
  }

  const RunRecord& run_;
  std::string out_;
  std::vector<std::pair<std::int64_t, std::string>> entries_;
  std::unordered_map<const char*, std::string> quoted_;
};

}  // namespace

const char* name_of(TraceEvent::Kind kind) {
  constexpr std::array names{"zone", "operation", "launch", "upload", "download", "wait", "flush", "plan_run"};
  return names.at(kind);
}

std::string trace_json(std::vector<TraceEvent> events, const RunRecord& run) {
  // Threads first, by number; then queues, by name.
  std::map<std::pair<std::string, std::uint32_t>, std::vector<TraceEvent>> tracks;
  for (TraceEvent& event : events) {
    tame(event);
    if (event.kind == TraceEvent::launch)
      tracks[{cat(event.device ? event.device : "", " queue"), 0}].push_back(event);
    else
      tracks[{"", event.thread}].push_back(event);
  }
  events = {};
  Entries entries(run);
  const std::string task = run.training ? run.training->task : "";
  entries.metadata("process_name", 0, task.empty() ? "tidepool" : "tidepool: " + task);
  std::size_t track = 0;
  for (auto& [name, of_track] : tracks) {
    entries.metadata("thread_name", ++track, name.first.empty() ? cat("thread ", name.second) : name.first);
    for (const TraceEvent& event : nested(std::move(of_track))) entries.complete(track, event);
  }
  entries.counters();
  entries.instants();
  const OrderedJson about{{"version", run.version}, {"started", run.started}, {"device", run.device.id}, {"device_name", run.device.name}};
  return cat(R"({"displayTimeUnit":"ms","otherData":)", text_of(about), ",\"traceEvents\":[\n", std::move(entries).text(), "\n]}\n");
}

}  // namespace tidepool::inline v0::monitor
