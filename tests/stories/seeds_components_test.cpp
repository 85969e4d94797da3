// The components of the seeds (computing, devices, watching, logging, pooling), as someone uses them who comes from there (docs/seeds.md).
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/devices.h"
#include "support/files.h"

namespace tp = tidepool;

namespace tidepool::inline v0 {
namespace {

class SeedsCompute : public OnEveryDevice {};
class SeedsDevices : public OnEveryDevice {};
class SeedsMonitor : public OnEveryDevice {
 protected:
  void TearDown() override {
    tp::monitor::disable();
    OnEveryDevice::TearDown();
  }
};
class SeedsPool : public OnEveryDevice {};
class SeedsTraining : public SeedsMonitor {};
INSTANTIATE_TEST_SUITE_P(On, SeedsCompute, devices_that_compute(), device_name);
INSTANTIATE_TEST_SUITE_P(On, SeedsDevices, devices_that_compute(), device_name);
INSTANTIATE_TEST_SUITE_P(On, SeedsMonitor, devices_that_compute(), device_name);
INSTANTIATE_TEST_SUITE_P(On, SeedsPool, devices_that_compute(), device_name);
INSTANTIATE_TEST_SUITE_P(On, SeedsTraining, devices_that_compute(), device_name);

TEST_P(SeedsCompute, ValuesGoToTheDeviceAreSquaredAveragedAndComeBack) {
  const std::vector<float> values{1, 2, 3, 4};
  const tp::Tensor sent = tp::from_host(values, {4});
  EXPECT_FALSE(sent.released());
  EXPECT_EQ(sent.to_host<float>(), values);
  const std::int64_t before = tp::memory().tensors;
  const std::vector<tp::Tensor> means = tp::tidy([&] {
    std::vector<tp::Tensor> all;
    for (int i = 0; i < 250; ++i) all.push_back(tp::mean(tp::square(sent)));
    return all;
  });
  EXPECT_EQ(tp::memory().tensors, before + 250) << "the squares are gone, the means are here";
  for (const tp::Tensor& mean : means) EXPECT_EQ(mean.item(), 7.5F);
  tp::Tensor kept, dropped;
  {
    const tp::Tidy scope;
    kept = tp::keep(sent + sent);
    dropped = sent * sent;
  }
  EXPECT_EQ(kept.to_host<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_TRUE(dropped.released());
  sent.release();
  EXPECT_TRUE(sent.released());
  EXPECT_HAS(message_of<tp::ReleasedError>([&] { tp::square(sent); }), "square: ");
}

// What transferToGPU is to do when it fails: reset, and once more.
TEST_P(SeedsCompute, ATransferThatLosesTheDeviceIsDoneAgainAfterAReset) {
  const std::vector<float> values{1, 2, 3, 4};
  tp::zeros({1});
  tp::faults::set("device_lost@upload:1");
  EXPECT_THROW(tp::from_host(values, {4}), tp::DeviceLost);
  tp::reset(tp::default_device());
  EXPECT_EQ(tp::from_host(values, {4}).to_host<float>(), values);
}

TEST_P(SeedsDevices, ArePreferredFoundSwitchedAndCleanedUp) {
  EXPECT_EQ(tp::select({.prefer_gpu = false}).id(), "cpu");
  const EventLog log;
  const tp::Device chosen = tp::select({.prefer_gpu = id() != "cpu", .min_memory = 1_MiB, .max_load = 1.0, .name = id(), .required = true});
  EXPECT_EQ(chosen.id(), id());
  EXPECT_EQ(tp::default_device(), chosen);
  EXPECT_EQ(log.count(tp::DeviceEvent::selected), 1);
  bool listed = false;
  for (const tp::DeviceInfo& info : tp::devices()) {
    listed = listed || (info.id == id() && info.memory_total > 0);
    EXPECT_TRUE(!info.load || (*info.load >= 0 && *info.load <= 1 && !info.load_source.empty())) << info.id;
  }
  EXPECT_TRUE(listed);

  const tp::Tensor here = tp::tensor({1, 2}, {2});
  tp::set_default_device(tp::device("cpu"));
  EXPECT_EQ(here.device(), chosen) << "tensors stay where they are";
  const tp::Tensor moved = (here + here).to(tp::device("cpu"));
  EXPECT_EQ((moved + tp::ones({2})).to_host<float>(), (std::vector<float>{3, 5}));
  tp::cleanup();
  EXPECT_EQ(here.to_host<float>(), (std::vector<float>{1, 2}));
}

TEST_P(SeedsDevices, WhereNothingFitsTheCpuServesAndItIsSaid) {
  std::string said;
  static std::string heard;  // listeners stay for good
  heard.clear();
  tp::on_device_event([](const tp::DeviceEvent& event) { heard = event.message; });
  tp::set_logger([&](tp::LogLevel level, std::string_view message) {
    if (level == tp::LogLevel::warn) said = message;
  });
  EXPECT_EQ(tp::select({.min_memory = std::size_t{1} << 60, .allow_software = true}).id(), "cpu");
  tp::set_logger({});
  EXPECT_HAS(said, "fell back to the CPU");
  EXPECT_HAS(heard, "fell back to the CPU");
}

TEST_P(SeedsMonitor, MemoryTimesAndUtilisationAreMeasuredLoggedAndAveraged) {
  tp::zeros({1});
  tp::monitor::enable({.period = 0.01});
  tp::sync();
  const tp::Tensor a = tp::ones({128, 128});
  const tp::MemoryStats usage = tp::memory();
  EXPECT_EQ(usage.tensors, 1);
  EXPECT_GE(usage.live_bytes, a.nbytes());
  EXPECT_TRUE(usage.reliable);

  tp::monitor::Snapshot s;
  const auto start = std::chrono::steady_clock::now();
  do {
    EXPECT_GT(tp::monitor::track("product", [&] { tp::matmul(a, a).to_host<float>(); }), 0.0);
    s = tp::monitor::snapshot();
  } while ((!s.utilisation || tp::monitor::log().averages().memory.live_bytes == 0) &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  EXPECT_EQ(s.memory.live_bytes, tp::memory().live_bytes);
  EXPECT_GT(s.compute_ms, 0.0);
  EXPECT_GT(s.transfer_ms, 0.0);
  EXPECT_GE(s.transfer_bytes, a.nbytes());
  EXPECT_GE(s.launches, 1U);
  ASSERT_TRUE(s.utilisation.has_value());
  EXPECT_GE(*s.utilisation, 0.0);
  EXPECT_LE(*s.utilisation, 1.0);
  EXPECT_FALSE(s.kernels.empty());

  for (int i = 1; i <= 1500; ++i) tp::monitor::record("figure", i);
  const tp::monitor::Log log = tp::monitor::log();
  ASSERT_EQ(log.values("figure").size(), 1000U);
  EXPECT_EQ(log.values("figure").front(), 501.0) << "the oldest go first";
  EXPECT_NEAR(log.percentile("figure", 0.5), 1000.5, 1);
  EXPECT_LE(log.size(), 1000U);
  EXPECT_GT(log.averages().compute_ms, 0.0);
  EXPECT_GT(log.averages().memory.live_bytes, 0U);
}

TEST_P(SeedsPool, ATensorThatIsReleasedLendsItsMemoryToTheNextOfItsSize) {
  tp::configure({.max_commands = 50, .max_cached_per_class = 50, .memory_limit = 64_MiB, .cache_limit = 8_MiB, .max_load = 0.8});
  EXPECT_EQ(tp::settings().max_commands, 50);
  EXPECT_EQ(tp::settings().max_load, 0.8);
  const auto made = [] { return tp::zeros({100, 100}); };
  made().release();
  tp::sync();
  const tp::MemoryStats before = tp::memory();
  for (int i = 0; i < 20; ++i) {
    const tp::Tensor t = made();
    EXPECT_EQ(t.to_host<float>(), std::vector<float>(10'000, 0.0F));
    tp::fill_(t, 1.0F);
  }
  EXPECT_EQ(tp::memory().allocations, before.allocations);
  EXPECT_GE(tp::memory().reuses, before.reuses + 20);
  EXPECT_THROW(tp::empty({64, 1024, 1024}), tp::OutOfMemory);
  EXPECT_EQ(made().to_host<float>()[0], 0.0F) << "and the next call works";
}

TEST_P(SeedsTraining, XorIsLearnedWhileItIsWatchedAndTheDeviceIsLost) {
  tp::manual_seed(1);
  tp::monitor::enable({.period = 0.01});
  tp::nn::Sequential net{tp::nn::Linear(2, 8), tp::nn::Tanh(), tp::nn::Linear(8, 1), tp::nn::Sigmoid()};
  tp::optim::Adam opt(net.parameters(), {.lr = 0.05});
  const tp::Tensor x = tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), y = tp::tensor({0, 1, 1, 0}, {4, 1});
  bool lost = false;
  tp::Trainer trainer(net, opt, tp::mse_loss,
                      {.epochs = 400,
                       .batch = 4,
                       .shuffle = false,
                       .max_recoveries = 3,
                       .leave_slow_device = false,
                       .auto_tune = false,
                       .on_step = [&](const tp::StepInfo& info) {
                         if (info.step != 100 || lost) return;
                         lost = true;
                         tp::faults::set("device_lost@submit:1");
                       }});
  const tp::TrainResult result = trainer.fit(tp::data::from_tensors(x, y));
  EXPECT_EQ(result.recoveries, 1);
  EXPECT_LT(result.epochs.back().loss, 1e-2);
  EXPECT_EQ(net(tp::tensor({0, 1}, {1, 2})).to_host<float>()[0] > 0.5F, true);

  for (const tp::monitor::Anomaly& anomaly : tp::monitor::anomalies()) EXPECT_FALSE(anomaly.message.empty());
  for (const tp::monitor::Advice& advice : tp::monitor::advice()) EXPECT_FALSE(advice.message.empty());
  EXPECT_FALSE(tp::monitor::forecast().training_end) << "it is over";
  const TemporaryFolder folder;
  tp::monitor::write_report(folder.path("report.html"));
  tp::monitor::write_trace(folder.path("trace.json"));
  EXPECT_GT(std::filesystem::file_size(folder.path("report.html")), 1000U);
  EXPECT_GT(std::filesystem::file_size(folder.path("trace.json")), 1000U);
  EXPECT_HAS(tp::monitor::prometheus_text(), "tidepool_");
}

// A batch that is found by trying, halves as a way to hold numbers, a plan for what is done often.
TEST_P(SeedsTraining, WhatTheSeedsPutOffUntilLater) {
  tp::manual_seed(1);
  tp::nn::Sequential net{tp::nn::Linear(2, 1)};
  tp::optim::Adam opt(net.parameters(), {.lr = 0.01});
  const tp::Tensor x = tp::rand({64, 2}), y = tp::sum(x, 1, true);
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = 1, .batch = 0});
  EXPECT_GT(trainer.fit(tp::data::from_tensors(x, y)).micro_batch, 0);

  const tp::Tensor half = tp::tensor({1.5F, 2.25F}, {2}).to(tp::DType::f16);
  EXPECT_EQ(half.nbytes(), 4U);
  EXPECT_EQ(half.to_host<float>(), (std::vector<float>{1.5F, 2.25F}));

  const tp::Tensor sum = tp::zeros({2}), one = tp::ones({2});
  const tp::Plan plan = tp::capture([&] { tp::copy_(sum, sum + one); });
  for (int i = 0; i < 150; ++i) plan.run();
  EXPECT_EQ(sum.to_host<float>(), (std::vector<float>{150, 150}));
}

}  // namespace
}  // namespace tidepool::inline v0
