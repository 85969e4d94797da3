// Different threads use the library at once. Run under ThreadSanitizer by the preset `tsan`.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "support/child.h"
#include "support/devices.h"
#include "support/sanitizers.h"
#include "support/two_layer.h"

namespace tidepool::inline v0 {
namespace {

class Threads : public OnEveryDevice {
 protected:
  // Runs the function on so many threads, each with its number; errors fail the test.
  static void on_threads(int count, const std::function<void(int)>& function) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        try {
          function(i);
        } catch (const std::exception& error) {
          ADD_FAILURE() << "thread " << i << ": " << error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
};
INSTANTIATE_TEST_SUITE_P(On, Threads, devices_for_tests(), device_name);

TEST_P(Threads, MakeUseAndDropTensorsAtOnce) {
  on_threads(4, [](int number) {
    const auto mine = static_cast<float>(number + 1);
    for (int i = 0; i < 50; ++i) {
      const Tensor x = full({100 * (number + 1)}, mine);
      const Tensor y = relu(x * 2.0F + x), z = y.reshape({number + 1, 100}).slice(0, 1);
      expect_all(z, 3.0F * mine, "another thread's numbers");
      if (i % 10 == 0) sync();
      if (i % 7 == 0) memory();
    }
  });
  EXPECT_EQ(memory().tensors, 0);
  EXPECT_EQ(memory().live_bytes, 0U);
}

TEST_P(Threads, OpenADeviceTogether) {
  const std::uint32_t before = default_device().slot().epoch();
  on_threads(4, [](int) { expect_all(ones({10}), 1.0F); });
  EXPECT_EQ(default_device().slot().epoch(), before + 1);
}

TEST_P(Threads, ReadOneTensorAtOnce) {
  const Tensor shared = full({1000}, 2.0F), w = full({1000}, 3.0F);
  std::vector<Tensor> results(4);
  on_threads(4, [&](int number) {
    const Tensor mine = shared;
    for (int i = 0; i < 30; ++i) results[static_cast<std::size_t>(number)] = mine * w + static_cast<float>(number);
  });
  for (std::size_t i = 0; i < 4; ++i) expect_all(results[i], 6.0F + static_cast<float>(i));
}

TEST_P(Threads, OneDropsWhatAnotherMade) {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Tensor> belt;
  bool done = false;
  std::thread consumer([&] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done || !belt.empty(); });
      if (belt.empty()) return;
      Tensor t = std::move(belt.front());
      belt.pop_front();
      lock.unlock();
      if (t.numel() % 3 == 0) t.release();
    }
  });
  const Tensor x = ones({300});
  for (int i = 0; i < 300; ++i) {
    Tensor t = (x + static_cast<float>(i)).slice(0, 1 + i % 300);
    const std::scoped_lock lock(mutex);
    belt.push_back(std::move(t));
    changed.notify_one();
  }
  {
    const std::scoped_lock lock(mutex);
    done = true;
    changed.notify_one();
  }
  consumer.join();
  EXPECT_EQ(memory().tensors, 1);
}

TEST_P(Threads, HaveScopesOfTheirOwn) {
  const Tensor w = ones({10});
  w.requires_grad();
  std::atomic<int> inside{0};
  on_threads(2, [&](int number) {
    if (number == 0) {
      const NoGrad no_grad;
      const Tidy scope;
      ++inside;
      while (inside < 2) std::this_thread::yield();
      EXPECT_FALSE((w * w).wants_grad());
      while (inside < 3) std::this_thread::yield();
    } else {
      while (inside < 1) std::this_thread::yield();
      ++inside;
      Tensor outside_of_any_scope;
      { outside_of_any_scope = w * w; }
      EXPECT_TRUE(outside_of_any_scope.wants_grad()) << "another thread's NoGrad";
      ++inside;
      EXPECT_FALSE(outside_of_any_scope.released()) << "another thread's Tidy";
    }
  });
}

TEST_P(Threads, CaptureAndRunAtOnce) {
  on_threads(3, [](int number) {
    const auto mine = static_cast<float>(number);
    const Tensor x = full({500}, mine), y = zeros({500});
    if (number == 2) {  // eager work beside the captures is not captured
      for (int i = 0; i < 60; ++i) expect_all(x + 1.0F, 3.0F);
      return;
    }
    for (int round = 0; round < 3; ++round) {
      const Plan plan = capture([&] { tidy([&] { copy_(y, y + relu(x + 1.0F)); }); });
      EXPECT_EQ(plan.launches(), 4);
      for (int i = 0; i < 10; ++i) plan.run();
    }
    expect_all(y, 30.0F * (mine + 1.0F));
  });
}

TEST_P(Threads, TrainNetworksOfTheirOwn) {
  std::vector<std::vector<float>> states(3);
  on_threads(3, [&](int number) {
    TwoLayers net(8);
    for (int i = 1; i <= 10; ++i) net.step({.lr = 0.02, .step = i});
    states[static_cast<std::size_t>(number)] = net.state();
  });
  if (computes()) {
    EXPECT_EQ(states[0], states[1]);
    EXPECT_EQ(states[1], states[2]);
  }
}

TEST_P(Threads, BackwardsOfSeveralAddUpInTheirCommonLeaves) {
  constexpr int leaves = 100, threads = 2;
  const Tensor x = full({100}, 2.0F), seed = ones({100});
  std::vector<Tensor> all;
  for (int i = 0; i < leaves; ++i) {
    all.push_back(full({100}, 3.0F).requires_grad());
    if (i % 2 == 0) continue;
    all.back().backward(seed);
    all.back().grad().release();  // which is as if there had been none
  }
  std::vector<std::atomic<int>> come(leaves);
  on_threads(threads, [&](int) {
    for (int i = 0; i < leaves; ++i) {
      const Tensor w = all[static_cast<std::size_t>(i)];
      std::atomic<int>& here = come[static_cast<std::size_t>(i)];
      ++here;  // all of them bring the first gradient
      for (int turns = 0; here < threads; ++turns)
        if (turns > 10'000'000) std::this_thread::yield();
      w.backward(seed);
      EXPECT_TRUE(w.grad().defined());
      tidy([&] { sum(w * x).backward(); });
    }
  });
  for (const Tensor& w : all) expect_all(w.grad(), 3.0F * threads);
}

TEST_P(Threads, CleanUpWhileOthersWork) {
  std::atomic<bool> done{false};
  std::thread cleaner([&] {
    while (!done) {
      cleanup();
      configure({.cache_limit = 1_MiB});
      sync();
      std::this_thread::yield();
    }
  });
  on_threads(2, [](int number) {
    for (int i = 0; i < (id() == "vulkan:0" ? 30 : 300); ++i) {
      const Tensor x = full({64}, static_cast<float>(number));
      expect_all(x + 1.0F, static_cast<float>(number + 1));
    }
  });
  done = true;
  cleaner.join();
}

TEST_P(Threads, SeeALossOnceBetweenThem) {
  const EventLog log;
  const Tensor x = ones({100});
  sync();
  faults::set("device_lost@launch:50");
  std::atomic<int> lost{0};
  on_threads(4, [&](int) {
    try {
      for (;;) x + 1.0F;
    } catch (const DeviceLost&) {
      ++lost;
    }
  });
  EXPECT_EQ(lost, 4);
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
  reset(default_device());
  expect_all(ones({100}) + 1.0F, 2.0F);
}

TEST_P(Threads, DropOldTensorsWhileTheDeviceIsReset) {
  std::vector<std::vector<Tensor>> held(3);
  for (auto& mine : held)
    for (int i = 0; i < 50; ++i) mine.push_back(ones({1 + 37 * i}));
  std::atomic<bool> start{false};
  std::thread resetter([&] {
    while (!start) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) reset(device(GetParam()));
  });
  on_threads(3, [&](int number) {
    start = true;
    auto& mine = held[static_cast<std::size_t>(number)];
    while (!mine.empty()) {
      try {
        mine.back() + 1.0F;
      } catch (const DeviceLost&) {  // gone, as it may be
      }
      mine.pop_back();
    }
  });
  resetter.join();
  expect_all(ones({100}), 1.0F);
  EXPECT_EQ(memory().tensors, 0);
}

class ThreadsAcross : public LibraryTest {};

// Slots are never destroyed, as threads look at their counts when they end: AddressSanitizer sees one that is.
TEST_F(ThreadsAcross, NameAVulkanDeviceForTheFirstTimeTogether) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  if (!is_child()) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run_this_test_again(""), 0);  // there is one first time in a process
    return;
  }
  for (const DeviceSlot* slot : all_slots()) ASSERT_NE(slot->id(), "vulkan:0");
  std::atomic<int> ready{0};
  std::vector<DeviceSlot*> slots(4);
  std::vector<std::thread> threads;
  for (DeviceSlot*& slot : slots)
    threads.emplace_back([&] {
      ones({1});  // a thread that counts tensors
      ++ready;
      while (ready < 4) std::this_thread::yield();
      slot = &slot_for("vulkan:0");
    });
  for (std::thread& thread : threads) thread.join();
  for (const DeviceSlot* slot : slots) EXPECT_EQ(slot, slots[0]);
}

TEST_F(ThreadsAcross, DifferentDevicesWorkAtOnce) {
  std::vector<std::thread> threads;
  for (const char* id : {"cpu", "null", "cpu", "null"})
    threads.emplace_back([id] {
      for (int i = 0; i < 100; ++i) {
        const Tensor x = ones({100}, {.device = device(id)});
        (x + x).to_host<float>();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

class Forks : public LibraryTest {
 protected:
  // Work for several threads, and for oneDNN where it is installed: of whole numbers, which other kernels add up to the same bits.
  static std::vector<std::vector<float>> large_results() {
    manual_seed(7);
    const Tensor x = randn({1 << 20});
    const Tensor product = matmul(full({256, 256}, 2.0F), full({256, 256}, 3.0F));
    const Tensor images = conv2d(full({4, 16, 32, 32}, 1.0F), full({32, 16, 3, 3}, 2.0F));
    return {exp(x).to_host<float>(), sum(x).to_host<float>(), product.to_host<float>(), images.to_host<float>()};
  }
};

TEST_F(Forks, AChildComputesTheSameThoughTheThreadsAreItsParents) {
  if (thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not follow a process with threads into fork()";
  if (!is_child()) {  // alone: a child has the locks as other tests' threads left them
    EXPECT_EQ(run_this_test_again("TIDEPOOL_THREADS=4"), 0);
    return;
  }
  const auto wanted = large_results();
  const Tensor x = full({4, 16, 32, 32}, 1.0F), w = full({16, 16, 3, 3}, 1.0F), y = zeros({4, 16, 28, 28});
  const Plan plan = capture([&] { tidy([&] { copy_(y, relu(conv2d(relu(conv2d(x, w)), w)) + y); }); });
  plan.run();
  const float once = y.to_host<float>()[0];
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);  // ends it if it hangs
    int wrong = 0;
    try {
      wrong |= large_results() == wanted ? 0 : 1;
      plan.run();
      wrong |= y.to_host<float>() == std::vector<float>(static_cast<std::size_t>(y.numel()), 2 * once) ? 0 : 2;
      reset(default_device());
      wrong |= large_results() == wanted ? 0 : 4;
    } catch (...) {
      wrong |= 8;
    }
    _exit(wrong);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(large_results(), wanted) << "the parent goes on";
}

}  // namespace
}  // namespace tidepool::inline v0
