// Items that fail: which, why, and what becomes of the others.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "compute/items.h"

namespace tidepool::inline v0 {
namespace {

class BadItems : public ComputeTest {
 protected:
  // Item 7 is of a size that the function does not take.
  static Values with_a_bad_one() {
    Values all = alike(25, 4);
    all[7].resize(5);
    return all;
  }
  static Tensor squared(const Tensor& t) { return matmul(t.reshape({2, 2}), t.reshape({2, 2})).reshape({4}); }
};
INSTANTIATE_TEST_SUITE_P(On, BadItems, devices_for_tests(), device_name);
class WrongValues : public ComputeTest {};
INSTANTIATE_TEST_SUITE_P(On, WrongValues, devices_that_compute(), device_name);

TEST_P(BadItems, StopTheCallWithAnErrorOfTheirTypeThatNamesTheirIndex) {
  Compute compute({.chunk = 10});
  const std::int64_t tensors = memory().tensors;
  const std::string message = message_of<ShapeError>([&] { compute.run(with_a_bad_one(), squared); });
  EXPECT_TRUE(message.starts_with("run: item 7: reshape: ")) << message;
  ASSERT_EQ(compute.failures().size(), 1U);
  EXPECT_EQ(compute.failures()[0].index, 7);
  EXPECT_EQ(memory().tensors, tensors);
  {
    const auto ts = compute.upload(with_a_bad_one());
    EXPECT_TRUE(message_of<ShapeError>([&] { compute.map(ts, squared); }).starts_with("map: item 7: reshape: "));
  }
  compute.run(alike(3, 4), squared);
  EXPECT_TRUE(compute.failures().empty()) << "those are of the last call";
}

TEST_P(BadItems, AreSkippedAndTheOthersDelivered) {
  std::int64_t failed = 0;
  Compute compute({.chunk = 10, .on_error = OnError::skip, .on_progress = [&](const ComputeProgress& p) { failed = p.failed; }});
  Values expected(25);
  for (std::size_t i = 0; i < 25; ++i)
    if (i != 7) expected[i].assign(4, 2.0F * static_cast<float>(i * i));
  expect_results(compute.run(with_a_bad_one(), squared), expected);
  EXPECT_EQ(failed, 1);
  ASSERT_EQ(compute.failures().size(), 1U);
  EXPECT_EQ(compute.failures()[0].index, 7);
  EXPECT_TRUE(compute.failures()[0].message.starts_with("reshape: ")) << compute.failures()[0].message;
  EXPECT_THROW(std::rethrow_exception(compute.failures()[0].error), ShapeError);

  const auto ys = compute.map(compute.upload(with_a_bad_one()), squared);
  EXPECT_EQ(compute.failures().size(), 1U);
  EXPECT_FALSE(ys[7].defined());
  expect_results(compute.download(ys), expected);
  EXPECT_TRUE(compute.failures().empty()) << "an empty tensor is no new failure";
}

TEST_P(BadItems, MayBeAny) {
  Compute compute({.chunk = 4, .on_error = OnError::skip});
  const auto results = compute.run(alike(10, 4), [calls = 0](const Tensor& t) mutable -> Tensor {
    switch (calls++) {
      case 2:
        return {};
      case 5:
        throw std::out_of_range("mine");
      case 6:
        throw 7;  // NOLINT
      case 9:
        return argmax(t, 0);
      default:
        return doubled(t);
    }
  });
  ASSERT_EQ(compute.failures().size(), 4U);
  const std::int64_t expected[] = {2, 5, 6, 9};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(compute.failures()[i].index, expected[i]);
  EXPECT_HAS(compute.failures()[0].message, "the function gave an empty tensor");
  EXPECT_EQ(compute.failures()[1].message, "mine");
  EXPECT_THROW(std::rethrow_exception(compute.failures()[2].error), int);
  EXPECT_THROW(std::rethrow_exception(compute.failures()[3].error), DTypeError);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(results[i].empty(), i == 2 || i == 5 || i == 6 || i == 9) << i;

  Compute stopping;
  EXPECT_EQ(message_of<Error>([&] { stopping.run(alike(1, 4), [](const Tensor&) -> Tensor { throw std::out_of_range("mine"); }); }),
            "run: item 0: mine");
}

// Only the device knows; it says so once for all that it did.
TEST_P(WrongValues, AreFoundToBeAnItems) {
  const auto hot = [](const Tensor& t) { return one_hot(t.to(DType::i32), 10).to(DType::f32).reshape({10}); };
  Values all = alike(25, 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i][0] = static_cast<float>(i % 10);
  all[3][0] = 10;
  all[17][0] = -1;
  all[18][0] = 99;
  for (const std::int64_t chunk : {1, 10, 100}) {
    Compute compute({.chunk = chunk, .on_error = OnError::skip});
    const auto check = [&](const Values& results) {
      ASSERT_EQ(compute.failures().size(), 3U) << chunk;
      EXPECT_EQ(compute.failures()[0].index, 3);
      EXPECT_HAS(compute.failures()[0].message, "one_hot: ");
      EXPECT_EQ(compute.failures()[1].index, 17);
      EXPECT_EQ(compute.failures()[2].index, 18);
      for (std::size_t i = 0; i < 25; ++i) {
        std::vector<float> expected(10);
        expected[i % 10] = 1;
        if (i == 3 || i == 17 || i == 18) expected.clear();
        EXPECT_EQ(results[i], expected) << i;
      }
    };
    check(compute.run(all, hot));
    const auto ys = compute.map(compute.upload(all), hot);
    const auto failures = compute.failures();
    const Values results = compute.download(ys);
    EXPECT_EQ(failures.size(), 3U);
    EXPECT_TRUE(compute.failures().empty());
    EXPECT_TRUE(results[17].empty());
    EXPECT_EQ(results[16][6], 1.0F);
  }
  Compute stopping({.chunk = 10});
  EXPECT_TRUE(message_of<ArgumentError>([&] { stopping.run(all, hot); }).starts_with("run: item 3: one_hot: "));
}

TEST_P(WrongValues, FromBeforeAreNoItems) {
  const Tensor wrong = one_hot(tensor({11}, {1}).to(DType::i32), 10);
  Compute compute({.on_error = OnError::skip});
  EXPECT_HAS(message_of<ArgumentError>([&] { compute.run(items(3), [](const Tensor& t) { return doubled(t); }); }), "one_hot: ");
  expect_results(compute.run(items(3), [](const Tensor& t) { return doubled(t); }), doubled(items(3)));
}

// As another thread's do: what every item can do without is not theirs.
TEST_P(WrongValues, OfSomebodyElseMeanwhileAreNotSwallowed) {
  const Tensor labels = tensor({11}, {1}).to(DType::i32);
  for (const OnError on_error : {OnError::skip, OnError::stop}) {
    Compute compute({.chunk = 10, .on_error = on_error});
    const auto run = [&] {
      compute.run(alike(25, 4), [&, calls = 0](const Tensor& t) mutable {
        if (++calls == 13) std::thread([&] { one_hot(labels, 10); }).join();
        return doubled(t);
      });
    };
    EXPECT_TRUE(message_of<ArgumentError>(run).starts_with("one_hot: got the label 11"));
    EXPECT_TRUE(compute.failures().empty());
    expect_results(compute.run(items(3), [](const Tensor& t) { return doubled(t); }), doubled(items(3)));
  }
}

TEST_P(BadItems, ThatACallbackThrowsForEndTheCall) {
  Compute compute({.chunk = 2, .on_error = OnError::skip, .on_progress = [](const ComputeProgress& p) {
                     if (p.done == 4) throw std::runtime_error("enough");
                   }});
  const MemoryStats before = memory();
  EXPECT_THROW(compute.run(alike(9, 100), [](const Tensor& t) { return doubled(t); }), std::runtime_error);
  EXPECT_EQ(memory().live_bytes, before.live_bytes);
}

}  // namespace
}  // namespace tidepool::inline v0
