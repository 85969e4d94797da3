// Devices that are lost while there is work: it is done again, and nobody notices but by the clock.
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <stdexcept>
#include <thread>
#include <utility>

#include "compute/items.h"

namespace tidepool::inline v0 {
namespace {

class Losses : public ComputeTest {
 protected:
  // The work once for every place where a device can be lost.
  void lose_everywhere(const char* point, const std::function<void(const std::string& fault)>& work) {
    reset(device(id()));
    faults::count();
    work("none");
    const std::int64_t places = faults::reached(point);
    ASSERT_GT(places, 0);
    for (std::int64_t place = 1; place <= places; ++place) {
      reset(device(id()));
      faults::set(std::string("device_lost@") + point + ":" + std::to_string(place));
      work(std::string(point) + " " + std::to_string(place));
      EXPECT_EQ(faults::happened(), 1) << point << ' ' << place;
      faults::set("");
      set_default_device(device(id()));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(On, Losses, devices_for_tests(), device_name);

TEST_P(Losses, AtAnyPlaceOfARunChangeNothing) {
  const Values all = items(13);
  const auto work = [&](const std::string& fault) {
    Compute compute({.chunk = 4});
    expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all), fault);
    EXPECT_LE(compute.recoveries(), 1) << fault;
    EXPECT_TRUE(compute.failures().empty()) << fault;
  };
  for (const char* point : {"submit", "launch", "upload", "download", "allocate"}) lose_everywhere(point, work);
  if (id() != "cpu") lose_everywhere("wait", work);
}

TEST_P(Losses, AtAnyPlaceOfStepsChangeNothing) {
  const Values all = items(7);
  const auto work = [&](const std::string& fault) {
    Compute compute({.chunk = 3});
    const auto ts = compute.upload(all);
    const auto ys = compute.map(ts, [](const Tensor& t) { return doubled(t); });
    const auto zs = compute.map(ys, [](const Tensor& t) { return doubled(t); });
    expect_results(compute.download(zs), doubled(doubled(all)), fault);
    expect_results(compute.download(ys), doubled(all), fault);
    expect_results(compute.download(ts), all, fault);
    EXPECT_LE(compute.recoveries(), 1) << fault;
  };
  for (const char* point : {"submit", "launch", "upload", "download"}) lose_everywhere(point, work);
}

TEST_P(Losses, KeepWhatFailedAndWhatWasSkipped) {
  Values all = alike(12, 4);
  all[6].resize(3);
  Values expected = doubled(all);
  expected[6].clear();
  for (const char* point : {"submit", "launch", "upload", "download"})
    lose_everywhere(point, [&](const std::string& fault) {
      Compute compute({.chunk = 4, .on_error = OnError::skip});
      expect_results(compute.run(all, [](const Tensor& t) { return doubled(t.reshape({4})); }), expected, fault);
      ASSERT_EQ(compute.failures().size(), 1U) << fault;
      EXPECT_EQ(compute.failures()[0].index, 6) << fault;
    });
}

TEST_P(Losses, GiveItemsThatFailedAnotherTry) {
  const Values all = alike(8, 4);
  Compute compute({.chunk = 4, .on_error = OnError::skip});
  faults::set("device_lost@submit:2");
  bool failed = false;
  const auto results = compute.run(all, [&](const Tensor& t) {
    if (compute.recoveries() == 0 && !std::exchange(failed, true)) throw std::runtime_error("not the first time");
    return doubled(t);
  });
  EXPECT_TRUE(failed);
  EXPECT_EQ(faults::happened(), 1);
  EXPECT_TRUE(compute.failures().empty());
  expect_results(results, doubled(all));
}

TEST_P(Losses, ThatComeAgainAndAgainMoveTheWorkToTheNextDevice) {
  const EventLog events;
  const Values all = items(10);
  faults::set("device_lost@submit:2,device_lost@submit:3,device_lost@submit:4");
  Compute compute({.chunk = 4});
  // From the first item on: what the first chunk gave was not delivered yet.
  expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all));
  EXPECT_EQ(faults::happened(), 3);
  EXPECT_EQ(compute.recoveries(), 3);
  faults::set("");
  if (id() == "cpu") {
    EXPECT_EQ(events.count(DeviceEvent::fallback), 0) << "there is nothing better";
  } else {
    EXPECT_EQ(events.count(DeviceEvent::fallback), 1);
    EXPECT_EQ(default_device().id(), "cpu");
    compute.run(all, [](const Tensor& t) {
      EXPECT_EQ(t.device().id(), "cpu") << "it stays there";
      return doubled(t);
    });
    reset(device(id()));
  }
}

TEST_P(Losses, WithoutEndAreAnError) {
  faults::set("device_lost@submit:every:1");
  Compute compute({.chunk = 4});
  const std::string message = message_of<DeviceLost>([&] { compute.run(items(10), [](const Tensor& t) { return doubled(t); }); });
  EXPECT_HAS(message, "run: lost 4 times in a row at item 0 or before; last: ");
  faults::set("");
  for (const char* lost : {"null", "cpu", "vulkan:0"})
    if (is_there(lost)) reset(device(lost));
  set_default_device(device(id()));
  expect_results(compute.run(items(10), [](const Tensor& t) { return doubled(t); }), doubled(items(10)));
}

TEST_P(Losses, AreTheCallersWhereHeWantsThem) {
  Compute compute({.chunk = 4, .max_recoveries = 0});
  faults::set("device_lost@submit:2");
  EXPECT_THROW(compute.run(items(10), [](const Tensor& t) { return doubled(t); }), DeviceLost);
  EXPECT_EQ(compute.recoveries(), 0);
}

TEST_P(Losses, LetTheFunctionMakeAgainWhatItHolds) {
  const Values all = alike(20, 4);
  Values expected = all;
  for (auto& item : expected)
    for (float& v : item) v *= 3.0F;
  lose_everywhere("submit", [&](const std::string& fault) {
    Tensor three = full({4}, 3.0F);
    Compute compute({.chunk = 4, .on_recovery = [&] { three = full({4}, 3.0F); }});
    expect_results(compute.run(all, [&](const Tensor& t) { return t * three; }), expected, fault);
  });
  Tensor three = full({4}, 3.0F);
  Compute forgetful({.chunk = 4});
  faults::set("device_lost@submit:2");
  EXPECT_HAS(message_of<DeviceLost>([&] { forgetful.run(all, [&](const Tensor& t) { return t * three; }); }),
             "run: item 0: mul: the tensor lived on");
}

TEST_P(Losses, ThatOthersSeeFirstAreMadeUpForInTheNextCall) {
  const Values all = items(8);
  Compute compute({.chunk = 3});
  const auto ts = compute.upload(all);
  const auto ys = compute.map(ts, [](const Tensor& t) { return doubled(t); });
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ts[0] + 1.0F, DeviceLost);
  faults::set("");
  expect_results(compute.download(ys), doubled(all));
  reset(device(id()));  // and where somebody has already made it anew
  EXPECT_THROW(ts[0].to_host<float>(), DeviceLost);
  expect_results(compute.download(ts), all);
  EXPECT_EQ(compute.recoveries(), 2);
  expect_values(ts[2] + 0.0F, all[2], "every handle follows");
}

TEST_P(Losses, BeforeTheFirstCallAreMadeUpFor) {
  const EventLog events;
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({4}), DeviceLost);
  faults::set("");
  Compute compute({.chunk = 4});
  expect_results(compute.run(items(10), [](const Tensor& t) { return doubled(t); }), doubled(items(10)));
  EXPECT_EQ(compute.recoveries(), 1);
  EXPECT_EQ(events.count(DeviceEvent::restored), 1);
}

// What came before is looked at for wrong values when a call begins, which waits for the device.
TEST_P(Losses, ThatACallMeetsAsItBeginsAreMadeUpFor) {
  const Values all = items(10);
  const std::vector<std::int32_t> labels{0, 1};
  lose_everywhere("wait", [&](const std::string& fault) {
    {
      Compute compute({.chunk = 4});
      cross_entropy(ones({2, 3}), from_host(labels, {2}));  // may complain, of labels that are none
      expect_results(compute.run(all, [](const Tensor& t) { return doubled(t); }), doubled(all), fault);
      EXPECT_LE(compute.recoveries(), 1) << fault;
    }
  });
}

TEST_P(Losses, OfADeviceThatTwoShareAreMadeUpForByTheFirst) {
  const Values all = items(8);
  Compute first({.chunk = 3}), second({.chunk = 3});
  const auto a = first.upload(all), b = second.upload(all);
  const EventLog events;
  faults::set("device_lost@launch:1");
  EXPECT_THROW(a[0] + 1.0F, DeviceLost);
  faults::set("");
  const std::uint32_t epoch = device(id()).slot().epoch();
  expect_results(first.download(a), all);
  expect_results(second.download(b), all);
  EXPECT_NO_THROW(a[0].to_host<float>()) << "what the first made anew is left alone";
  EXPECT_EQ(device(id()).slot().epoch(), epoch + 1);
  EXPECT_EQ(events.count(DeviceEvent::restored), 1);
}

TEST_P(Losses, OfADeviceThatThreadsShareAreMadeUpForOnce) {
  const Values all = items(40);
  for (int round = 0; round < 5; ++round) {
    const EventLog events;
    std::latch both_at_work(2);
    const std::uint32_t epoch = device(id()).slot().epoch();
    faults::set("device_lost@submit:8");
    std::vector<Values> results(2);
    std::vector<std::thread> threads;
    for (Values& mine : results)
      threads.emplace_back([&] {
        Compute compute({.chunk = 4});
        bool waited = false;
        EXPECT_NO_THROW(mine = compute.run(all, [&](const Tensor& t) {
          if (!std::exchange(waited, true)) both_at_work.arrive_and_wait();
          return doubled(t);
        }));
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(faults::happened(), 1);
    faults::set("");
    for (const Values& each : results) expect_results(each, doubled(all));
    EXPECT_LE(device(id()).slot().epoch(), epoch + 2) << "opened, and made anew";
    EXPECT_EQ(events.count(DeviceEvent::restored), 1);
  }
}

TEST_P(Losses, ThatOthersMakeUpForInTheMiddleChangeNothing) {
  Compute compute({.chunk = 4});
  bool made_anew = false;
  const auto results = compute.run(items(10), [&](const Tensor& t) {
    if (!std::exchange(made_anew, true)) reset(device(id()));
    return doubled(t);
  });
  expect_results(results, doubled(items(10)));
  EXPECT_EQ(compute.recoveries(), 1);
}

TEST_P(Losses, OfTensorsFromElsewhereAreErrors) {
  const Tensor mine = ones({4});
  Compute compute;
  faults::set("device_lost@launch:1");
  EXPECT_THROW(compute.map({mine}, [](const Tensor& t) { return doubled(t); }), DeviceLost);
  faults::set("");
  EXPECT_THROW(compute.download({mine}), DeviceLost);
}

TEST_P(Losses, LeaveNothingOver) {
  const Values all = alike(12, 1000);
  Compute compute({.chunk = 4});
  compute.run(all, [](const Tensor& t) { return doubled(t); });
  faults::set("device_lost@submit:2");
  compute.run(all, [](const Tensor& t) { return doubled(t); });
  faults::set("");
  {
    const auto ys = compute.map(compute.upload(all), [](const Tensor& t) { return doubled(t); });
    reset(default_device());
    compute.download(ys);
  }
  EXPECT_EQ(memory().tensors, 0);
  EXPECT_EQ(memory().live_bytes, 0U);
}

// Of the devices that a test can take away: null, and the cpu after it.
class LossesForGood : public Losses {};
INSTANTIATE_TEST_SUITE_P(On, LossesForGood, testing::Values("null"), device_name);

TEST_P(LossesForGood, WhereNoDeviceIsLeftAreAnError) {
  cleanup();
  const Tensor keeps_it_open = zeros({1});
  Compute compute({.chunk = 4});
  {
    const Unopenable cpu("cpu"), null("null");
    faults::set("device_lost@submit:2");
    EXPECT_HAS(
        message_of<DeviceLost>([&] { compute.run(items(10), [](const Tensor& t) { return doubled(t); }); }),
        "run: null was lost: a fault that was asked for; it cannot be made anew: open: null is out of order; open: cpu is out of order");
    faults::set("");
  }
  expect_results(compute.run(items(10), [](const Tensor& t) { return doubled(t); }), doubled(items(10)), "when it is there again");
}

TEST_P(LossesForGood, OfDevicesThatOthersCloseAndFailToOpenAreMadeUpFor) {
  Compute compute({.chunk = 4});
  bool closed = false;
  const auto results = compute.run(items(10), [&](const Tensor& t) {
    if (!std::exchange(closed, true)) {
      const Unopenable null("null");
      EXPECT_THROW(reset(device("null")), DeviceError);
    }
    return doubled(t);
  });
  expect_results(results, doubled(items(10)));
  EXPECT_EQ(compute.recoveries(), 1);
}

}  // namespace
}  // namespace tidepool::inline v0
