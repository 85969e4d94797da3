// Events out of a stream, and the record that they add up to.
#include "cli/watch/stream.h"

#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <string>
#include <utility>
#include <vector>

#include "monitor/full_record.h"

namespace tidepool::cli {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events events_of(const std::string& text, std::size_t piece) {
  Events events;
  EventStream stream([&](const std::string& event, const std::string& data) { events.emplace_back(event, data); });
  for (std::size_t i = 0; i < text.size(); i += piece) stream.feed(std::string_view(text).substr(i, piece));
  return events;
}

TEST(EventStream, IsTheSameHoweverItIsCut) {
  const std::string text =
      ": a comment\n\nevent: run\ndata: {\"a\": 1}\n\nevent:update\r\ndata:one\r\ndata: two\r\nid: 7\r\nretry\r\n\r\ndata: x\r\r"
      "event: alone\n\ndata: cut off";
  const Events wanted{{"run", "{\"a\": 1}"}, {"update", "one\ntwo"}, {"", "x"}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(events_of(text, piece), wanted) << piece;
}

TEST(EventStream, AnEventWithoutEndIsRefused) {
  EventStream stream([](const std::string&, const std::string&) {});
  const std::string much = "data: " + std::string(std::size_t{1} << 20, 'x');
  EXPECT_THROW(
      for (int i = 0; i < 100; ++i) {
        stream.feed(much);
        stream.feed("\n");
      },
      IoError);
}

TEST(Follow, AnUpdateAddsWhatIsNewAndReplacesTheRest) {
  monitor::RunRecord run;
  follow(run, "run", monitor::full_record());
  EXPECT_EQ(to_json(run), to_json(monitor::full_record()));

  monitor::RunRecord update;
  update.time = 13;
  update.samples = {monitor::full_sample(13)};
  update.epochs = {{3, 13, 0.125, 0, 0, 0, 1, 1, false, false}};
  update.anomalies = {{}};
  update.events = {{13, "lost", "vulkan:0", "gone"}};
  update.kernels = {{"only", "cpu", 1, 1, 1, 1, 1}};
  follow(run, "update", update);
  EXPECT_EQ(run.time, 13);
  EXPECT_EQ(run.samples.size(), 3U);
  EXPECT_EQ(run.samples.back().time, 13);
  EXPECT_EQ(run.epochs.size(), 3U);
  EXPECT_EQ(run.anomalies.size(), 3U);
  EXPECT_EQ(run.events.size(), 3U);
  EXPECT_EQ(run.kernels.size(), 1U);
  EXPECT_TRUE(run.pool.has_value()) << "an update is mostly without; the last one stays";
  EXPECT_FALSE(run.training.has_value());

  follow(run, "run", monitor::full_record());
  EXPECT_EQ(run.samples.size(), 2U) << "a run begins anew";
}

TEST(Follow, KeepsAsManyAsTheRecordHas) {
  monitor::RunRecord run;
  for (int i = 0; i < 30; ++i) {
    monitor::RunRecord update;
    for (int j = 0; j < 50; ++j) update.samples.push_back(monitor::full_sample(i * 50 + j));
    follow(run, "update", update);
  }
  EXPECT_EQ(run.samples.size(), 1000U);
  EXPECT_EQ(run.samples.front().time, 500);
  EXPECT_EQ(run.samples.back().time, 1499);
}

}  // namespace
}  // namespace tidepool::cli
