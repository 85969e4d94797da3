// Batches: their order, where they stand, and what they look like on the device.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/devices.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

class Loading : public LibraryTest {
 protected:
  // Sample i is [i, i, …] with label i % 10.
  static data::Dataset counted(std::int64_t count, std::int64_t width = 3) {
    std::vector<float> x;
    std::vector<std::int32_t> y;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j < width; ++j) x.push_back(static_cast<float>(i));
      y.push_back(static_cast<std::int32_t>(i % 10));
    }
    return data::from_tensors(from_host(x, {count, width}), from_host(y, {count}));
  }
  static std::vector<float> order_of(data::Loader& loader) {
    std::vector<float> order;
    for (const auto& [x, y] : loader) {
      const auto values = x.to_host<float>();
      const auto labels = y.to_host<std::int32_t>();
      for (std::size_t row = 0; row < labels.size(); ++row) {
        const float first = values[row * values.size() / labels.size()];
        EXPECT_EQ(static_cast<std::int32_t>(first) % 10, labels[row]) << "a sample and its label stay together";
        order.push_back(first);
      }
    }
    return order;
  }
};

TEST_F(Loading, GoesOverEverySampleOnce) {
  data::Loader loader(counted(103), {.batch = 10});
  EXPECT_EQ(loader.size(), 11);
  std::vector<float> wanted(103);
  std::iota(wanted.begin(), wanted.end(), 0.0F);
  EXPECT_EQ(order_of(loader), wanted);
  data::Loader whole(counted(103), {.batch = 10, .drop_last = true});
  EXPECT_EQ(whole.size(), 10);
  EXPECT_EQ(order_of(whole).size(), 100U);
}

TEST_F(Loading, ABatchLargerThanTheDatasetLeavesNothingWithDropLast) {
  EXPECT_EQ(message_of<ArgumentError>([] { data::Loader(counted(10), {.batch = 64, .drop_last = true}); }),
            "Loader: drop_last leaves nothing: the dataset has 10 samples, a batch 64; set .batch to 10 or less, or leave drop_last out");
  EXPECT_EQ(data::Loader(counted(10), {.batch = 10, .drop_last = true}).size(), 1);
  EXPECT_EQ(data::Loader(counted(10), {.batch = 64}).size(), 1);
}

TEST_F(Loading, ShufflesBySeedAndEpochAlone) {
  // The second one has batches that are large enough for a thread.
  for (const std::int64_t width : {3, 4000}) {
    data::Loader a(counted(103, width), {.batch = 10, .shuffle = true, .seed = 5}),
        b(counted(103, width), {.batch = 7, .shuffle = true, .seed = 5});
    const auto first = order_of(a), second = order_of(a);
    EXPECT_NE(first, second) << "every epoch has an order of its own";
    EXPECT_EQ(order_of(b), first) << "whatever the size of the batches";
    EXPECT_EQ(std::set<float>(first.begin(), first.end()).size(), 103U);
    data::Loader other(counted(103, width), {.batch = 10, .shuffle = true, .seed = 6});
    EXPECT_NE(order_of(other), first);
  }
}

TEST_F(Loading, GoesOnWhereAnotherStood) {
  for (const std::int64_t width : {3, 4000}) {
    data::Loader loader(counted(50, width), {.batch = 8, .shuffle = true, .seed = 1});
    order_of(loader);
    std::vector<float> rest;
    data::LoaderState state;
    int batches = 0;
    for (const auto& [x, y] : loader) {
      if (++batches == 3) state = loader.state();
      if (batches > 3)
        for (const std::int32_t label : y.to_host<std::int32_t>()) rest.push_back(static_cast<float>(label));
    }
    EXPECT_EQ(state.epoch, 1);
    EXPECT_EQ(state.batch, 3);
    data::Loader again(counted(50, width), {.batch = 8, .shuffle = true, .seed = 1});
    again.restore(state);
    std::vector<float> labels;
    for (const auto& [x, y] : again)
      for (const std::int32_t label : y.to_host<std::int32_t>()) labels.push_back(static_cast<float>(label));
    EXPECT_EQ(labels, rest);
  }
}

TEST_F(Loading, ALoopThatIsLeftEarlyIsForgotten) {
  data::Loader loader(counted(40, 8000), {.batch = 4});
  for (const auto& [x, y] : loader)
    if (y.numel() == 4) break;
  EXPECT_EQ(order_of(loader).size(), 40U);
}

TEST_F(Loading, NormalisesOnTheDevice) {
  const data::Dataset bytes =
      data::from_tensors(from_host(std::vector<std::uint8_t>{0, 51, 255, 102}, {2, 2}), from_host(std::vector<std::int32_t>{0, 1}, {2}));
  const data::Batch plain = *data::Loader(bytes, {.batch = 2}).begin();
  EXPECT_EQ(plain.x.dtype(), DType::f32);
  const auto x = plain.x.to_host<float>();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], (std::vector<float>{0, 0.2F, 1, 0.4F})[i], 1e-6F);
  const auto z = (*data::Loader(bytes.normalized(0.5, 0.25), {.batch = 2}).begin()).x.to_host<float>();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(z[i], (std::vector<float>{-2, -1.2F, 2, -0.4F})[i], 1e-6F);
}

TEST_F(Loading, WrongOptionsAreNamed) {
  EXPECT_EQ(message_of<ArgumentError>([] { data::Loader(data::Dataset(), {.batch = 2}); }), "Loader: the dataset has no samples");
  EXPECT_EQ(message_of<ArgumentError>([] { data::Loader(counted(3), {.batch = 0}); }), "Loader: batch is 0; wanted 1 or more");
  data::Loader loader(counted(3), {.batch = 1});
  EXPECT_EQ(message_of<ArgumentError>([&] { loader.restore({.epoch = 0, .batch = 9}); }),
            "Loader: there is no batch 9 in epoch 0 of 3 batches");
}

}  // namespace
}  // namespace tidepool::inline v0
