// Batches: when they are submitted by themselves, that it does not matter when, tickets, and order.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <numeric>
#include <thread>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Batches : public OnEveryDevice {};
class BatchValues : public OnEveryDevice {};
class BatchOnNull : public LibraryTest {};
INSTANTIATE_TEST_SUITE_P(On, Batches, devices_for_tests(), device_name);
INSTANTIATE_TEST_SUITE_P(On, BatchValues, devices_that_compute(), device_name);

TEST_P(Batches, TwoHundredAndFiftyLaunchesMakeTwoAutomaticFlushes) {
  const Tensor t = zeros({16});
  sync();
  const std::int64_t before = flushes_on(default_device());
  for (int i = 0; i < 250; ++i) fill_(t, static_cast<float>(i));
  EXPECT_EQ(flushes_on(default_device()) - before, 2);
  expect_all(t, 249.0F);
}

TEST_F(BatchOnNull, AnEmptyViewAtTheEndOfATensorIsBoundWithinItsMemory) {
  reopen_null({.keep_launches = true});
  set_default_device(device("null"));
  const Tensor x = ones({1 << 20});
  sum(x.slice(1 << 20, 1 << 20));
  sync();
  std::size_t empty = 0;
  for (const Launch& launch : null_backend().launches)
    for (const Binding& binding : launch.bound()) {
      empty += binding.bytes == 0;
      EXPECT_LT(binding.offset, binding.memory->bytes) << launch.kernel->name;
    }
  EXPECT_EQ(empty, 1U);
}

TEST_P(BatchValues, AnEmptyViewAtTheEndOfATensorHasASum) {
  const Tensor x = ones({1 << 20});
  EXPECT_EQ(sum(x.slice(1 << 20, 1 << 20)).item(), 0.0F);
}

TEST_P(Batches, AFlushComesExactlyAtTheLimit) {
  configure({.max_commands = 7});
  const Tensor t = zeros({16});
  sync();
  const std::int64_t before = flushes_on(default_device());
  for (int i = 1; i <= 22; ++i) {
    fill_(t, 1.0F);
    EXPECT_EQ(flushes_on(default_device()) - before, i / 7);
  }
  sync();
  for (int i = 0; i < 6; ++i) fill_(t, 1.0F);
  EXPECT_EQ(flushes_on(default_device()) - before, 3) << "what was submitted by hand does not count";
}

TEST_P(Batches, ViewsLaunchNothing) {
  configure({.max_commands = 1});
  const Tensor t = zeros({16});
  const std::int64_t before = flushes_on(default_device());
  const Tensor view = t.reshape({4, 4}).slice(1, 2).flatten();
  EXPECT_EQ(flushes_on(default_device()), before);
}

TEST_P(Batches, ATicketIsReadyAfterItsWait) {
  const Tensor t = zeros({1000});
  for (int i = 0; i < 50; ++i) fill_(t, 1.0F);
  const Ticket ticket = commit();
  ticket.wait();
  EXPECT_TRUE(ticket.ready());
  ticket.wait();
  EXPECT_TRUE(Ticket().ready()) << "an empty ticket has nothing to wait for";
  Ticket().wait();
  EXPECT_TRUE(commit().ready()) << "there was nothing to submit";
}

TEST_P(Batches, ATicketCanBePolled) {
  const Tensor t = full({1000}, 2.0F);
  const Ticket ticket = commit();
  for (int i = 0; i < 10'000 && !ticket.ready(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(ticket.ready());
  expect_all(t, 2.0F);
}

TEST_P(Batches, ATicketOfADeviceThatIsOverIsReady) {
  Ticket ticket;
  {
    const Tensor t = ones({1000});
    ticket = commit();
    reset(default_device());
    EXPECT_TRUE(ticket.ready());
    ticket.wait();
  }
  const Tensor t = ones({1000});
  const Ticket other = commit();
  cleanup();
  EXPECT_TRUE(ticket.ready()) << "another stream has other numbers";
  EXPECT_TRUE(other.ready());
}

TEST_P(BatchValues, ResultsAreTheSameWhateverMaxCommandsIs) {
  std::vector<float> values(10'000);
  std::iota(values.begin(), values.end(), -5'000.0F);
  const auto compute = [&] {
    const Tensor x = from_host(values, {100, 100}), w = full({100, 100}, 0.01F);
    Tensor y = x / 5'000.0F;
    const Tensor running = zeros({100, 100});
    for (int i = 0; i < 40; ++i) {
      y = relu(matmul(y, w)) + y * 0.5F;
      copy_(running.slice(i, i + 1), y.slice(99 - i, 100 - i));
      if (i % 10 == 9) fill_(y.slice(0, 1), static_cast<float>(i));
    }
    std::vector<float> result = (running + mean(y)).to_host<float>();
    const std::vector<float> last = y.to_host<float>();
    result.insert(result.end(), last.begin(), last.end());
    return result;
  };
  configure({.max_commands = 1});
  const std::vector<float> one_by_one = compute();
  EXPECT_EQ(one_by_one[10'000], 39.0F);
  for (const std::int64_t most : {7, 100, 10'000}) {
    configure({.max_commands = most});
    EXPECT_EQ(compute(), one_by_one) << "max_commands " << most;
  }
}

TEST_P(BatchValues, AnUploadWaitsForWorkThatReadsTheOldValue) {
  const std::vector<float> old_values(200'000, 1.0F), new_values(200'000, 100.0F);
  for (const std::int64_t most : {3, 10'000}) {
    configure({.max_commands = most});
    const Tensor x = from_host(old_values, {200'000});
    Tensor y = zeros({200'000});
    for (int i = 0; i < 10; ++i) y = y + x;
    x.copy_from(new_values);
    const Tensor z = y + x;
    expect_all(y, 10.0F, "it read what was uploaded later");
    expect_all(z, 110.0F);
    expect_all(x, 100.0F);
  }
}

TEST_P(BatchValues, ADownloadSeesAllWorkBeforeItAndNoneAfter) {
  const Tensor t = zeros({100'000});
  std::vector<float> seen(100'000);
  for (int i = 1; i <= 30; ++i) {
    fill_(t, static_cast<float>(i));
    t.copy_to(seen);
    ASSERT_EQ(seen, std::vector<float>(100'000, static_cast<float>(i)));
  }
}

TEST_P(BatchValues, AnUploadToABlockThatWasJustReturnedWaitsForItsLastUse) {
  const std::vector<float> noise(100'000, 55.0F);
  for (int i = 0; i < 20; ++i) {
    Tensor result = zeros({100'000});
    {
      const Tensor temporary = full({100'000}, 2.0F);
      result = result + temporary;
    }
    const Tensor fresh = from_host(noise, {100'000});  // the temporary's block, which the device may not have read yet
    expect_all(result, 2.0F);
    expect_all(fresh, 55.0F);
  }
}

TEST_F(BatchOnNull, ATicketIsNotReadyBeforeTheDeviceIs) {
  reopen_null({.latency = 2});
  set_default_device(device("null"));
  const Tensor t = zeros({16});
  const Ticket ticket = commit();
  EXPECT_FALSE(ticket.ready());
  for (int i = 0; i < 2; ++i) {
    fill_(t, 1.0F);
    commit();
  }
  EXPECT_TRUE(ticket.ready());
  fill_(t, 1.0F);
  const Ticket last = commit();
  EXPECT_FALSE(last.ready());
  last.wait();
  EXPECT_TRUE(last.ready());
}

TEST_F(BatchOnNull, SyncSubmitsAndWaits) {
  reopen_null({.latency = 1000});
  set_default_device(device("null"));
  const Tensor t = zeros({16});
  EXPECT_EQ(null_backend().counts.submits, 0U);
  const Ticket before = commit();
  fill_(t, 1.0F);
  sync();
  EXPECT_EQ(null_backend().counts.submits, 2U);
  EXPECT_TRUE(before.ready()) << "work is in order";
  sync();
  EXPECT_EQ(null_backend().counts.submits, 2U) << "there was nothing to submit";
}

TEST_F(BatchOnNull, MovingValuesFlushesOnlyForBlocksThatAreInUse) {
  reopen_null({.latency = 1000});
  set_default_device(device("null"));
  const std::vector<float> values(16, 1.0F);
  const Tensor idle = from_host(values, {16}), used = from_host(values, {16});
  fill_(used, 2.0F);
  idle.copy_from(values);
  idle.to_host<float>();
  EXPECT_EQ(null_backend().counts.submits, 0U) << "nothing recorded touches it";
  used.to_host<float>();
  EXPECT_EQ(null_backend().counts.submits, 1U);
}

TEST_F(BatchOnNull, LaunchesOfAllKindsAreCountedOnce) {
  reopen_null({});
  set_default_device(device("null"));
  const Tensor a = zeros({8, 8});
  relu(a + a);
  matmul(a, a);
  EXPECT_EQ(null_backend().counts.launches, 4U);
  EXPECT_EQ(null_backend().counts.loads, 4U);
  relu(a);
  EXPECT_EQ(null_backend().counts.loads, 4U) << "a kernel is loaded once";
}

}  // namespace
}  // namespace tidepool::inline v0
