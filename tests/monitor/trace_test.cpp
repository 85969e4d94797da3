// What happened when, for Perfetto: nested, in order, with names as they are.
#include "monitor/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "monitor/full_record.h"

namespace tidepool::inline v0::monitor {
namespace {

using Json = nlohmann::json;

struct Shown {
  std::string name;
  std::int64_t start, end;  // nanoseconds
};

std::int64_t nanoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

// The complete events by track, as they stand in the file.
std::map<int, std::vector<Shown>> tracks_of(const Json& trace) {
  std::map<int, std::vector<Shown>> tracks;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X") tracks[e["tid"]].push_back({e["name"], nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e["dur"])});
  return tracks;
}

std::map<std::string, int> names_of(const Json& trace) {
  std::map<std::string, int> names;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name") names[e["args"]["name"]] = e["tid"];
  return names;
}

// Walks over a track as a reader does: each event is inside the innermost that is open, or begins when it has ended.
void expect_nested(const std::vector<Shown>& track) {
  std::vector<Shown> open;
  std::int64_t before = 0;
  for (const Shown& e : track) {
    ASSERT_GE(e.start, before) << "in order";
    ASSERT_GE(e.end, e.start);
    before = e.start;
    while (!open.empty() && open.back().end <= e.start) open.pop_back();
    if (!open.empty()) {
      ASSERT_GE(e.start, open.back().start);
      ASSERT_LE(e.end, open.back().end) << e.name << " outlasts " << open.back().name;
    }
    open.push_back(e);
  }
}

TraceEvent launch(const char* name, std::int64_t start, std::int64_t duration) {
  return {.kind = TraceEvent::launch, .name = name, .device = "vulkan:0", .start = start, .duration = duration};
}

Json trace_of(std::vector<TraceEvent> events, const RunRecord& run = {}) { return Json::parse(trace_json(std::move(events), run)); }

TEST(Trace, RandomEventsAreNestedInEveryTrackAndNoneIsLost) {
  const char* const devices[] = {"vulkan:0", "cpu"};
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
    const std::int64_t span = 1 + below(round % 2 ? 50 : 100000);  // many meet in a short one
    std::vector<TraceEvent> events;
    std::vector<std::string> names;
    for (int i = 0; i < 200; ++i) names.push_back("event " + std::to_string(i));
    for (std::size_t i = 0; i < 200; ++i)
      events.push_back({.kind = static_cast<TraceEvent::Kind>(below(8)),
                        .name = names[i].c_str(),
                        .device = devices[below(2)],
                        .thread = static_cast<std::uint32_t>(below(3)),
                        .start = below(span),
                        .duration = below(span)});
    std::map<std::string, std::int64_t> ends, starts;
    for (const TraceEvent& e : events) starts[e.name] = e.start, ends[e.name] = e.start + e.duration;
    std::size_t count = 0;
    for (const auto& [track, shown] : tracks_of(trace_of(events))) {
      expect_nested(shown);
      for (const Shown& e : shown) {
        EXPECT_EQ(e.end, ends[e.name]) << "only beginnings are moved";
        EXPECT_GE(e.start, starts[e.name]);
      }
      count += shown.size();
    }
    EXPECT_EQ(count, events.size());
    if (HasFatalFailure()) return;
  }
}

TEST(Trace, WhatIsNestedAlreadyStaysAsItIs) {
  const Json trace = trace_of({{.kind = TraceEvent::zone, .name = "epoch", .start = 1000, .duration = 9000},
                               {.kind = TraceEvent::operation, .name = "matmul", .device = "cpu", .start = 2000, .duration = 1500},
                               {.kind = TraceEvent::operation, .name = "relu", .device = "cpu", .start = 3500, .duration = 1},
                               {.kind = TraceEvent::zone, .name = "step", .start = 2000, .duration = 8000}});
  const std::vector<Shown> shown = tracks_of(trace)[1];
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_EQ(shown[0].name, "epoch");
  EXPECT_EQ(shown[1].name, "step") << "what contains another comes first";
  EXPECT_EQ(shown[2].name, "matmul");
  EXPECT_EQ(shown[2].start, 2000);
  EXPECT_EQ(shown[3].start, 3500);
  EXPECT_EQ(shown[3].end, 3501) << "nanoseconds are not lost";
}

TEST(Trace, LaunchesThatOverlapByTheClocksErrorFollowOneAnother) {
  const Json trace = trace_of({launch("a", 0, 10), launch("b", 8, 7), launch("c", 14, 6)});
  const std::vector<Shown> shown = tracks_of(trace)[1];
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[1].start, 10);
  EXPECT_EQ(shown[1].end, 15);
  EXPECT_EQ(shown[2].start, 15);
  EXPECT_EQ(shown[2].end, 20);
}

TEST(Trace, ThereIsATrackForEachThreadAndEachQueue) {
  TraceEvent other = launch("relu", 0, 1);
  other.device = "cpu";
  const Json trace = trace_of({{.kind = TraceEvent::zone, .name = "z", .thread = 4, .start = 0, .duration = 1},
                               {.kind = TraceEvent::wait, .device = "vulkan:0", .thread = 0, .start = 0, .duration = 1},
                               {.kind = TraceEvent::upload, .device = "vulkan:0", .thread = 0, .start = 1, .duration = 1, .bytes = 4096},
                               {.kind = TraceEvent::flush, .device = "vulkan:0", .thread = 0, .start = 2, .duration = 1, .count = 12},
                               launch("matmul", 0, 1),
                               other},
                              full_record());
  const std::map<std::string, int> names = names_of(trace);
  ASSERT_EQ(names.size(), 4U);
  EXPECT_EQ(names.at("thread 0"), 1);
  EXPECT_EQ(names.at("thread 4"), 2);
  EXPECT_EQ(names.at("cpu queue"), 3);
  EXPECT_EQ(names.at("vulkan:0 queue"), 4);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "tidepool: fashion-mnist");
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    if (e["cat"] == "wait") {
      EXPECT_EQ(e["name"], "wait");
      EXPECT_EQ(e["args"]["device"], "vulkan:0");
    }
    if (e["cat"] == "upload") {
      EXPECT_EQ(e["args"]["bytes"], 4096);
    }
    if (e["cat"] == "flush") {
      EXPECT_EQ(e["args"]["launches"], 12);
    }
    if (e["cat"] == "launch") {
      EXPECT_EQ(e["tid"], e["name"] == "matmul" ? 4 : 3);
    }
  }
}

TEST(Trace, MemoryAndLossAreCountersAndEventsAreInstants) {
  const Json trace = trace_of({launch("a", 11'500'000'000, 10)}, full_record());
  double before = 0;
  std::map<std::string, int> seen;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] == "M") continue;
    EXPECT_GE(e["ts"].get<double>(), before) << "in order";
    before = e["ts"];
    ++seen[e["ph"].get<std::string>() + " " + e["name"].get<std::string>()];
    if (e["name"] == "memory, bytes") {
      EXPECT_EQ(e["args"]["gradients"], 150);
      EXPECT_EQ(e["args"].size(), 6U);
    }
    if (e["name"] == "loss") {
      EXPECT_EQ(e["args"]["loss"], 0.1);
      EXPECT_EQ(e["ts"], 11e6);
    }
    if (e["name"] == "fallback: cpu") {
      EXPECT_EQ(e["args"]["message"], "vulkan:0 was lost");
      EXPECT_EQ(e["ts"], 11.75e6);
    }
  }
  EXPECT_EQ(seen["C memory, bytes"], 2);
  EXPECT_EQ(seen["C loss"], 1) << "the other is not a number, which JSON has not";
  EXPECT_EQ(seen["i selected: vulkan:0"], 1);
  EXPECT_EQ(seen["i fallback: cpu"], 1);
  EXPECT_EQ(seen["i anomaly: leak"], 1);
  EXPECT_EQ(seen["i anomaly: loss"], 1);
}

TEST(Trace, NamesAreEscapedAndWildTimesAreTamed) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  RunRecord run = full_record();
  run.samples[0].time = std::numeric_limits<double>::quiet_NaN();
  run.events[0].time = 1e300;
  const Json trace = trace_of({{.kind = TraceEvent::zone, .name = "a \"zone\"\n\\ \xff", .start = -500, .duration = 1500},
                               {.kind = TraceEvent::zone, .name = nullptr, .device = nullptr, .start = -500, .duration = -1},
                               {.kind = TraceEvent::launch, .name = "k", .device = "\"\n", .start = most, .duration = most},
                               {.kind = TraceEvent::launch, .name = "l", .device = nullptr, .start = 5, .duration = most}},
                              run);
  std::vector<Shown> shown = tracks_of(trace)[1];
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].name, "a \"zone\"\n\\ \xef\xbf\xbd");
  EXPECT_EQ(shown[0].start, 0);
  EXPECT_EQ(shown[0].end, 1000);
  EXPECT_EQ(shown[1].name, "zone");
  EXPECT_TRUE(names_of(trace).contains("\"\n queue"));
}

TEST(Trace, NothingAtAllIsATraceToo) {
  const Json trace = trace_of({});
  EXPECT_EQ(trace["traceEvents"].size(), 1U);
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
