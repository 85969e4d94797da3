// The record as Prometheus reads it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "monitor/full_record.h"
#include "monitor/monitor.h"
#include "monitor/prometheus.h"
#include "platform/child_process.h"
#include "support/files.h"

namespace tidepool::inline v0::monitor {
namespace {

struct Parsed {
  std::map<std::string, std::string> series;  // name{labels}: value
  std::map<std::string, std::string> types;
};

// As the format is described; anything odd is a failure.
Parsed parse(const std::string& text) {
  Parsed parsed;
  std::set<std::string> helped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, what, name;
    if (line.starts_with('#')) {
      words >> hash >> what >> name;
      if (what == "HELP") {
        EXPECT_TRUE(helped.insert(name).second) << line;
      }
      if (what == "TYPE") {
        EXPECT_TRUE(helped.contains(name)) << line;
        EXPECT_TRUE(parsed.types.emplace(name, line.substr(line.rfind(' ') + 1)).second) << line;
      }
      continue;
    }
    const std::size_t space = line.rfind(' ');
    const std::string series = line.substr(0, space);
    name = series.substr(0, series.find('{'));
    EXPECT_TRUE(parsed.types.contains(name)) << line;
    EXPECT_TRUE(name.starts_with("tidepool_")) << line;
    EXPECT_EQ(name.ends_with("_total"), parsed.types[name] == "counter") << line;
    EXPECT_TRUE(parsed.series.emplace(series, line.substr(space + 1)).second) << line << " is there twice";
  }
  EXPECT_TRUE(text.ends_with('\n'));
  return parsed;
}

bool has(const Parsed& parsed, const std::string& name) { return parsed.types.contains(name); }

// What promtool says; nothing when it is content.
std::string complaints(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("metrics")) << text;
  const ChildResult result =
      run_program("/bin/sh", {"-c", "promtool check metrics <'" + folder.path("metrics") + "' 2>&1"}, {}, std::chrono::minutes(1));
  return result.output + (result.status == 0 ? "" : "status " + std::to_string(result.status));
}

bool promtool_is_there() { return run_program("/bin/sh", {"-c", "command -v promtool"}, {}, std::chrono::minutes(1)).status == 0; }

TEST(Prometheus, FiguresAreInBaseUnits) {
  RunRecord run = full_record();
  run.training->step = 60;  // it went back
  const Parsed p = parse(prometheus_text(run));
  const auto value = [&](const std::string& series) { return p.series.contains(series) ? p.series.at(series) : "absent"; };
  EXPECT_EQ(value("tidepool_build_info{version=\"0.1.0\"}"), "1");
  EXPECT_EQ(value("tidepool_memory_live_bytes{device=\"vulkan:0\"}"), "1000");
  EXPECT_EQ(value("tidepool_memory_limit_bytes{device=\"vulkan:0\"}"), "8192");
  EXPECT_EQ(value("tidepool_memory_tagged_bytes{device=\"vulkan:0\",tag=\"gradients\"}"), "150");
  EXPECT_EQ(value("tidepool_launches_total{device=\"vulkan:0\"}"), "101");
  EXPECT_EQ(value("tidepool_flushes_total{device=\"vulkan:0\"}"), "11");
  EXPECT_EQ(value("tidepool_plan_runs_total{device=\"vulkan:0\"}"), "12");
  EXPECT_EQ(value("tidepool_allocations_total{device=\"vulkan:0\"}"), "13");
  EXPECT_EQ(value("tidepool_reuses_total{device=\"vulkan:0\"}"), "14");
  EXPECT_EQ(value("tidepool_evictions_total{device=\"vulkan:0\"}"), "15");
  EXPECT_EQ(value("tidepool_transfer_bytes_total{device=\"vulkan:0\"}"), "65536");
  EXPECT_EQ(value("tidepool_compute_seconds_total{device=\"vulkan:0\"}"), "1.5005");
  EXPECT_EQ(value("tidepool_kernel_launches_total{kernel=\"relu\",device=\"vulkan:0\"}"), "2000");
  EXPECT_EQ(value("tidepool_kernel_seconds_total{kernel=\"relu\",device=\"vulkan:0\"}"), "0.25");
  EXPECT_EQ(value("tidepool_training_step{task=\"fashion-mnist\"}"), "60");
  EXPECT_EQ(value("tidepool_training_epoch{task=\"fashion-mnist\"}"), "2");
  EXPECT_EQ(value("tidepool_training_steps_total"), "77");
  EXPECT_EQ(value("tidepool_training_loss{task=\"fashion-mnist\"}"), "NaN");
  EXPECT_EQ(value("tidepool_training_accuracy_ratio{task=\"fashion-mnist\"}"), "0.9375");
  EXPECT_EQ(value("tidepool_training_step_seconds{task=\"fashion-mnist\"}"), "0.0125");
  EXPECT_EQ(value("tidepool_training_test_accuracy_ratio{task=\"fashion-mnist\"}"), "0.5");
  EXPECT_EQ(value("tidepool_anomalies_total{kind=\"leak\"}"), "1");
  EXPECT_EQ(value("tidepool_anomalies_total{kind=\"loss\"}"), "1200") << "however few are kept";
  EXPECT_EQ(value("tidepool_anomalies_total{kind=\"evictions\"}"), "0") << "counted, and none found";
  EXPECT_EQ(value("tidepool_device_events_total{kind=\"fallback\",device=\"cpu\"}"), "1500");
  EXPECT_EQ(value("tidepool_figure{name=\"my figure\"}"), "1");
}

TEST(Prometheus, CountersNeverGoDownThoughTrainingGoesBackAndOnlyTheLastEventsAreKept) {
  enable({.period = 3600});
  const auto counters = [] {
    Monitor::only().take_sample();
    return parse(prometheus_text()).series;
  };
  TrainingWatch watch;
  watch.begin({.task = "one"});
  for (int i = 1; i <= 10; ++i) {
    watch.step(1e-3, 0, 4);
    watch.at(i / 5, i);
  }
  for (int i = 0; i < 1500; ++i) Monitor::only().add_event({.time = 0, .kind = "slow", .device = "null", .message = ""});
  Monitor::only().progress(std::numeric_limits<double>::quiet_NaN(), std::nullopt);
  const auto before = counters();
  EXPECT_EQ(before.at("tidepool_training_steps_total"), "10");
  EXPECT_EQ(before.at(R"(tidepool_training_step{task="one"})"), "10");
  EXPECT_EQ(before.at(R"(tidepool_device_events_total{kind="slow",device="null"})"), "1500");
  EXPECT_EQ(before.at(R"(tidepool_anomalies_total{kind="loss"})"), "1");

  watch.at(1, 5);  // a recovery
  for (int i = 0; i < 1000; ++i) Monitor::only().add_event({.time = 0, .kind = "paced", .device = "null", .message = ""});
  watch.step(1e-3, 0, 4);
  const auto after = counters();
  disable();
  EXPECT_EQ(after.at("tidepool_training_steps_total"), "11");
  EXPECT_EQ(after.at(R"(tidepool_training_step{task="one"})"), "5");
  EXPECT_EQ(after.at(R"(tidepool_training_epoch{task="one"})"), "1");
  EXPECT_EQ(after.at(R"(tidepool_device_events_total{kind="slow",device="null"})"), "1500");
  EXPECT_EQ(after.at(R"(tidepool_device_events_total{kind="paced",device="null"})"), "1000");
}

TEST(Prometheus, WhatIsNotKnownIsLeftOut) {
  RunRecord run = full_record();
  Parsed p = parse(prometheus_text(run));
  EXPECT_EQ(p.series.count("tidepool_utilisation_ratio{device=\"vulkan:0\",source=\"run\"}"), 0U);
  EXPECT_EQ(p.series.at("tidepool_utilisation_ratio{device=\"vulkan:0\",source=\"system\"}"), "0.875");
  EXPECT_FALSE(has(p, "tidepool_memory_full_seconds"));

  run.samples.back().limit = 0;
  run.samples.back().system_utilisation.reset();
  run.kernels[0].timed = 0;
  run.epochs.clear();
  p = parse(prometheus_text(run));
  EXPECT_FALSE(has(p, "tidepool_memory_limit_bytes"));
  EXPECT_FALSE(has(p, "tidepool_utilisation_ratio"));
  EXPECT_FALSE(has(p, "tidepool_training_test_loss"));
  EXPECT_EQ(p.series.count("tidepool_kernel_seconds_total{kernel=\"matmul_tiles\",device=\"vulkan:0\"}"), 0U);
  EXPECT_EQ(p.series.count("tidepool_kernel_launches_total{kernel=\"matmul_tiles\",device=\"vulkan:0\"}"), 1U);

  run.training.reset();
  run.samples.clear();
  p = parse(prometheus_text(run));
  for (const auto& [name, type] : p.types) {
    EXPECT_FALSE(name.starts_with("tidepool_training")) << name;
    EXPECT_FALSE(name.starts_with("tidepool_memory")) << name;
  }
}

TEST(Prometheus, ASampleWithoutAStepLeavesTheLossOfTheOneBefore) {
  RunRecord run = full_record();
  run.samples[1].loss.reset();
  run.samples[1].step_ms = 0;
  const Parsed p = parse(prometheus_text(run));
  EXPECT_EQ(p.series.at("tidepool_training_loss{task=\"fashion-mnist\"}"), "0.1");
  EXPECT_EQ(p.series.at("tidepool_training_step_seconds{task=\"fashion-mnist\"}"), "0.0125");
}

RunRecord nasty_record() {
  RunRecord run = full_record();
  run.training->task = "a \"task\"\nof \\ two lines";
  run.device.name = "bad \xff\xc3";
  run.kernels.push_back({"k\xff", "cpu", 1, 1, 1, 1, 0});
  run.kernels.push_back({"k\xfe", "cpu", 2, 1, 1, 1, 0});  // the same, once what is no text is replaced
  run.samples.back().loss = std::numeric_limits<double>::infinity();
  run.figures["}\n# TYPE tidepool_forged gauge\n"] = {1, 1e300, 0, 0, 0, 0, 0, 0};
  run.samples.back().launches = UINT64_MAX;
  return run;
}

TEST(Prometheus, LabelsAreEscaped) {
  const Parsed p = parse(prometheus_text(nasty_record()));
  EXPECT_EQ(p.series.at(R"(tidepool_training_step{task="a \"task\"\nof \\ two lines"})"), "77");
  EXPECT_EQ(p.series.at("tidepool_kernel_launches_total{kernel=\"k\xef\xbf\xbd\",device=\"cpu\"}"), "3");
  EXPECT_EQ(p.series.at(R"(tidepool_figure{name="}\n# TYPE tidepool_forged gauge\n"})"), "1e+300");
  EXPECT_FALSE(has(p, "tidepool_forged"));
  EXPECT_EQ(p.series.at(R"(tidepool_training_loss{task="a \"task\"\nof \\ two lines"})"), "+Inf");
}

TEST(Prometheus, PromtoolHasNothingToSay) {
  if (!promtool_is_there()) GTEST_SKIP() << "promtool is not there; the Debian package prometheus has it";
  RunRecord run = full_record();
  run.forecast.memory_full = Expectation{1, 0, 2, ""};
  EXPECT_EQ(complaints(prometheus_text(run)), "");
  EXPECT_EQ(complaints(prometheus_text(nasty_record())), "");
  EXPECT_EQ(complaints(prometheus_text(RunRecord{})), "");
  EXPECT_NE(complaints("# TYPE tidepool_steps counter\ntidepool_steps 1\n"), "") << "it does speak when something is wrong";
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
