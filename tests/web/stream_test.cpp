// Server-sent events: what listeners are told, and what becomes of those who do not listen.
#include "monitor/web/stream.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "web/served.h"

namespace tidepool::inline v0 {
namespace {

using monitor::RunRecord;
using monitor::web::Limits;
using nlohmann::json;

// Adds samples as the monitor would, until it is destroyed.
class Running {
 public:
  explicit Running(MadeUpRun& run)
      : thread_([this, &run] {
          for (; !stop_; usleep(5000)) run.add_sample();
        }) {}
  ~Running() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

Limits quick() {
  Limits limits;
  limits.period = 0.02;
  limits.share = 1;  // of processor time: slow builds are tested as well
  return limits;
}

std::vector<std::int64_t> steps_in(const std::string& text) {
  std::vector<std::int64_t> steps;
  const json record = json::parse(text);
  for (const json& sample : record["samples"]) steps.push_back(sample["steps"]);
  return steps;
}

TEST(WebStream, TellsTheRunThenWhatIsNewWithoutGapOrRepetition) {
  Serving serving({}, quick());
  for (int i = 0; i < 10; ++i) serving.run.add_sample();
  const Running running(serving.run);
  Listener listener = serving.listen();
  std::vector<std::int64_t> seen;
  for (int i = 0; i < 20; ++i) {
    const auto event = listener.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, i == 0 ? "run" : "update");
    const auto steps = steps_in(event->data);
    seen.insert(seen.end(), steps.begin(), steps.end());
  }
  ASSERT_GT(seen.size(), 12U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<std::int64_t>(i) + 1);
}

TEST(WebStream, TellsEpochsEventsAndAnomaliesOnceEach) {
  Serving serving({}, quick());
  const auto add = [&](int number) {
    serving.run.change([&](RunRecord& run) {
      run.time += 1;
      run.epochs.push_back({.epoch = number, .time = run.time});
      run.events.push_back({.time = run.time - 0.5, .kind = "message", .device = "cpu", .message = std::to_string(number)});
      run.anomalies.push_back({.time = run.time - 0.9, .series = "live", .message = std::to_string(number)});
    });
  };
  add(1);
  Listener listener = serving.listen();
  const auto run = listener.next();
  ASSERT_TRUE(run);
  add(2);
  std::vector<std::string> epochs, events, anomalies;
  const auto note = [&](const std::string& text) {
    const json record = json::parse(text);
    for (const json& one : record["epochs"]) epochs.push_back(std::to_string(one["epoch"].get<int>()));
    for (const json& one : record["events"]) events.push_back(one["message"]);
    for (const json& one : record["anomalies"]) anomalies.push_back(one["message"]);
  };
  note(run->data);
  for (int i = 0; i < 5; ++i) {
    const auto update = listener.next();
    ASSERT_TRUE(update);
    note(update->data);
  }
  const std::vector<std::string> both{"1", "2"};
  EXPECT_EQ(epochs, both);
  EXPECT_EQ(events, both) << "though they are older than the record they came with";
  EXPECT_EQ(anomalies, both);
}

TEST(WebStream, ThePoolComesWithTheRunAndEveryFourthUpdate) {
  Serving serving({}, quick());
  Listener listener = serving.listen();
  int with = 0;
  for (int i = 0; i < 13; ++i) {
    const auto event = listener.next();
    ASSERT_TRUE(event);
    const bool has = !json::parse(event->data)["pool"].is_null();
    EXPECT_TRUE(has || i > 0);
    with += has && i > 0;
  }
  EXPECT_EQ(with, 3);
}

TEST(WebStream, MessagesAreWrittenOnceForAllListenersAndNotAtAllForNone) {
  Limits limits = quick();
  limits.period = 0.25;
  Serving serving({}, limits);
  std::vector<Listener> listeners;
  for (int i = 0; i < 8; ++i) listeners.push_back(serving.listen());
  for (Listener& listener : listeners) EXPECT_EQ(listener.next().value().kind, "run");
  std::set<std::string> texts;
  const double start = seconds_now();
  const int before = serving.run.records;
  for (Listener& listener : listeners) texts.insert(listener.next().value().data);
  for (Listener& listener : listeners) texts.insert(listener.next().value().data);
  EXPECT_LE(serving.run.records - before, 2 + static_cast<int>((seconds_now() - start) / 0.25));
  EXPECT_LE(texts.size(), 3U) << "those who came a moment later may be a message behind";
  for (Listener& listener : listeners) listener.client().close_now();
  // The server learns of it when it writes to them.
  int seen = -1;
  EXPECT_TRUE(wait_until([&] {
    const bool same = seen == serving.run.records;
    seen = serving.run.records;
    usleep(600'000);
    return same;
  }));
}

TEST(WebStream, OneWhoComesAgainGetsTheWholeRunAgain) {
  Serving serving({}, quick());
  const Running running(serving.run);
  Listener staying = serving.listen();
  for (int i = 0; i < 3; ++i) {
    Listener coming = serving.listen();
    const auto run = coming.next();
    ASSERT_TRUE(run);
    EXPECT_EQ(run->kind, "run");
    const auto steps = steps_in(run->data);
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front(), 1);
    const auto update = coming.next();
    ASSERT_TRUE(update);
    const auto more = steps_in(update->data);
    EXPECT_TRUE(more.empty() || more.front() == steps.back() + 1) << steps.back() << " then " << more.front();
  }
  EXPECT_EQ(staying.next().value().kind, "run");
  EXPECT_EQ(staying.next().value().kind, "update");
}

TEST(WebStream, AMonitorThatIsEnabledAnewIsAnotherRun) {
  Serving serving({}, quick());
  for (int i = 0; i < 5; ++i) serving.run.add_sample();
  Listener listener = serving.listen();
  EXPECT_EQ(steps_in(listener.next().value().data).size(), 5U);
  serving.run.change([](RunRecord& run) {
    run.started = "2026-11-17T02:31:00Z";
    run.time = 0;
    run.samples.clear();
  });
  serving.run.add_sample();
  for (int i = 0; i < 100; ++i) {
    const auto event = listener.next();
    ASSERT_TRUE(event);
    if (event->kind == "update") continue;
    EXPECT_EQ(event->kind, "run");
    EXPECT_EQ(steps_in(event->data), std::vector<std::int64_t>{1});
    return;
  }
  ADD_FAILURE() << "no other run was told";
}

TEST(WebStream, OneWhoDoesNotReadIsDroppedWhileAnotherGoesOn) {
  Limits limits = quick();
  limits.stream_stuck_seconds = 0.5;
  limits.stream_waiting_bytes = 1 << 30;
  Serving serving({}, limits);
  // Messages of 100 KB, so that it is soon that the system takes no more.
  serving.run.change([](RunRecord& run) { run.settings.threads = 1, run.device.driver = std::string(100'000, 'x'); });
  Listener slow = serving.listen(4096), reading = serving.listen();
  const double start = seconds_now();
  // Time passes by what the other is told.
  while (seconds_now() - start < 3) ASSERT_TRUE(reading.next());
  EXPECT_TRUE(slow.client().sees_end());
  EXPECT_EQ(reading.next().value().kind, "update");
  EXPECT_EQ(serving.ask("/metrics").status, 200);
}

TEST(WebStream, WhatWaitsForOneWhoReadsTooSlowlyIsBounded) {
  Limits limits = quick();
  limits.stream_waiting_bytes = 300'000;
  limits.stream_stuck_seconds = 3600;
  Serving serving({}, limits);
  serving.run.change([](RunRecord& run) { run.device.driver = std::string(100'000, 'x'); });
  Listener slow = serving.listen(4096), reading = serving.listen();
  const double start = seconds_now();
  while (seconds_now() - start < 2) ASSERT_TRUE(reading.next());
  EXPECT_TRUE(slow.client().sees_end());
}

TEST(WebStream, PlacesForListenersAreLimitedAndFreeAgainAfterwards) {
  Limits limits = quick();
  limits.streams = 3;
  Serving serving({}, limits);
  std::vector<Listener> listeners;
  for (int i = 0; i < 3; ++i) listeners.push_back(serving.listen());
  Answer refused = serving.ask("/events");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers["retry-after"], "1");
  EXPECT_EQ(serving.ask("/run.json").status, 200) << "others are answered";
  listeners.pop_back();
  EXPECT_TRUE(wait_until([&] {
    Client client(serving.port);
    client.send(serving.request("/events"));
    return client.answer(false).status == 200;
  }));
}

TEST(WebStream, ASourceThatFailsEndsTheStreamAndNothingElse) {
  struct Failing : MadeUpRun {
    RunRecord record(bool with_pool) override {
      if (failing) throw std::runtime_error("no record");
      return MadeUpRun::record(with_pool);
    }
    std::atomic<bool> failing{false};
  } run;
  const monitor::web::Server server({}, run, quick());
  const std::string url = server.url();
  const auto port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.find(':', 6) + 1));
  const auto listen = [&] {
    Client client(port);
    client.send("GET /events HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n\r\n");
    EXPECT_EQ(client.answer(false).status, 200);
    return Listener(std::move(client));
  };
  Listener first = listen();
  EXPECT_EQ(first.next().value().kind, "run");
  run.failing = true;
  EXPECT_TRUE(first.client().sees_end());
  run.failing = false;
  EXPECT_EQ(listen().next().value().kind, "run");
}

TEST(WebStream, TheServerStopsAtOnceAndEndsItsStreams) {
  auto serving = std::make_unique<Serving>();
  std::vector<Listener> listeners;
  for (int i = 0; i < 5; ++i) listeners.push_back(serving->listen());
  for (Listener& listener : listeners) EXPECT_EQ(listener.next().value().kind, "run");
  Listener not_reading = serving->listen(4096);
  const Client silent(serving->port);
  const double start = seconds_now();
  serving->server.reset();
  EXPECT_LT(seconds_now() - start, 1);
  for (Listener& listener : listeners) {
    while (listener.next()) {
    }
    EXPECT_TRUE(listener.client().sees_end(1));
  }
}

TEST(WebStream, ListenersHearHowTheRunEndedToTheLastByte) {
  Serving serving;
  Listener listener = serving.listen();
  EXPECT_EQ(listener.next().value().kind, "run");
  serving.run.change([](RunRecord& run) { run.training = monitor::RunTraining{.task = std::string(1 << 20, 'x'), .finished = true}; });
  std::thread stopping([&] { serving.server.reset(); });
  std::string last;
  while (const auto event = listener.next()) last = event->data;
  stopping.join();
  ASSERT_FALSE(last.empty());
  const json record = json::parse(last);
  EXPECT_TRUE(record["training"]["finished"]);
  EXPECT_EQ(record["training"]["task"].get<std::string>().size(), 1U << 20);
}

TEST(WebStream, TheServerSleepsWhileNobodyAsks) {
  Serving serving({}, quick());
  EXPECT_EQ(serving.listen().next().value().kind, "run");
  double seen = -1;
  EXPECT_TRUE(wait_until([&] {
    const bool same = seen == serving.server->cpu_seconds();  // it is read anew whenever the server wakes
    seen = serving.server->cpu_seconds();
    usleep(300'000);
    return same;
  }));
}

TEST(WebStream, DataOnSeveralLinesStaysOneMessage) {
  EXPECT_EQ(monitor::web::event_text("run", "{\n}"), "event: run\ndata: {\ndata: }\n\n");
}

}  // namespace
}  // namespace tidepool::inline v0
