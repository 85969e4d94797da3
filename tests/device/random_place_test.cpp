// Where a device's random numbers stand: after it was closed, reset or lost, and when another's are put elsewhere.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <vector>

#include "support/broken_backend.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class RandomPlaces : public OnEveryDevice {
 public:
  static void SetUpTestSuite() {
    manual_seed(1);
    first = draw();
    second = draw();
    ASSERT_NE(first, second);
  }

 protected:
  static std::vector<float> draw() { return rand({3}).to_host<float>(); }
  static void cleanup_closes() {
    cleanup();
    ASSERT_EQ(default_device().slot().stream_if_open(), nullptr);
  }
  static inline std::vector<float> first, second;  // of seed 1
};
INSTANTIATE_TEST_SUITE_P(On, RandomPlaces, devices_that_compute(), device_name);

TEST_P(RandomPlaces, ADeviceThatCleanupClosedGoesOn) {
  manual_seed(1);
  EXPECT_EQ(draw(), first);
  cleanup_closes();
  EXPECT_EQ(draw(), second);
}

TEST_P(RandomPlaces, OneThatDrewNothingInBetweenGoesOnToo) {
  manual_seed(1);
  EXPECT_EQ(draw(), first);
  cleanup_closes();
  expect_all(ones({3}), 1.0F);
  cleanup_closes();
  EXPECT_EQ(draw(), second);
}

TEST_P(RandomPlaces, ASeedThatIsSetMeanwhileBeginsAnew) {
  manual_seed(1);
  draw();
  cleanup_closes();
  manual_seed(1);
  EXPECT_EQ(draw(), first);
  EXPECT_EQ(draw(), second);
}

TEST_P(RandomPlaces, AResetGoesOn) {
  manual_seed(1);
  EXPECT_EQ(draw(), first);
  reset(default_device());
  EXPECT_EQ(draw(), second);
}

TEST_P(RandomPlaces, ALostDeviceBeginsAnewUnlessItDrewNothing) {
  manual_seed(1);
  draw();
  cleanup_closes();
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({3}), DeviceLost);
  reset(default_device());
  EXPECT_EQ(draw(), second) << "it was not there that the first were drawn";
  faults::set("device_lost@launch:1");
  EXPECT_THROW(ones({3}), DeviceLost);
  reset(default_device());
  EXPECT_EQ(draw(), first);
}

TEST_P(RandomPlaces, PuttingAnotherDevicesNumbersElsewhereLeavesThese) {
  manual_seed(1);
  EXPECT_EQ(draw(), first);
  with_stream(slot_for("null"), [](Stream& stream) { stream.set_random_position({.seed = {1, 0}, .call = {7, 0}}); });
  EXPECT_EQ(draw(), second);
  with_stream(slot_for("null"), [](Stream& stream) { stream.set_random_position({.seed = {2, 0}, .call = {7, 0}}); });
  const std::vector<float> other = draw();
  manual_seed(2);
  EXPECT_EQ(draw(), other) << "a seed is everybody's";
}

class RandomPlaceOfNull : public LibraryTest {
 protected:
  static std::uint32_t calls() {
    return with_stream(slot_for("null"), [](Stream& stream) { return stream.random_position().call[0]; });
  }
};

TEST_F(RandomPlaceOfNull, IsForgottenWhereTheDeviceCannotTellItAnyMore) {
  bool fails = false;
  open_broken_backend({.fails = [&](const BackendCall& call) { return fails && call.kind == BackendCall::download; }});
  with_stream(slot_for("null"), [](Stream& stream) { stream.set_random_position({.seed = {0, 0}, .call = {7, 0}}); });
  reset(device("null"));
  EXPECT_EQ(calls(), 7U);
  fails = true;
  EXPECT_NO_THROW(cleanup());
  fails = false;
  EXPECT_EQ(calls(), 0U);
  reopen_null({});  // before what the broken one looks at is gone
}

}  // namespace
}  // namespace tidepool::inline v0
