// Eight threads make, use and drop tensors on all devices at once, with limits so small that memory is short all the time.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/devices.h"

namespace tidepool::stress {
namespace {

constexpr int threads = 8;

// A few tensors that pass from thread to thread.
class Exchange {
 public:
  Tensor swap(std::size_t place, Tensor tensor) {
    const std::scoped_lock lock(mutex_);
    std::swap(held_[place % held_.size()], tensor);
    return tensor;
  }
  void clear() { held_.fill({}); }

 private:
  std::mutex mutex_;
  std::array<Tensor, 6> held_;
};

class StressThreads : public LibraryTest {
 protected:
  void run(int steps, std::size_t limit) {
    for (const char* id : {"cpu", "null", "vulkan:0"})
      if (is_there(id)) devices_.emplace_back(id);
    cleanup();
    configure({.max_commands = 7, .max_cached_per_class = 4, .memory_limit = limit, .cache_limit = limit / 2});
    std::vector<std::thread> all;
    for (int number = 0; number < threads; ++number)
      all.emplace_back([this, number, steps] {
        std::mt19937_64 random(static_cast<std::uint64_t>(number) + 1);
        for (int i = 0; i < steps; ++i) {
          // Vulkan here is the slowest by far, and is to be met by all, not waited for by all.
          const std::string& id = devices_[random() % 8 == 0 ? devices_.size() - 1 : random() % std::min<std::size_t>(devices_.size(), 2)];
          try {
            one_step(random, device(id), number);
            ++done_;
          } catch (const OutOfMemory&) {
            ++refused_;
            exchange_.swap(random(), {});
          } catch (const std::exception& error) {
            ADD_FAILURE() << "thread " << number << " on " << id << ": " << error.what();
            return;
          }
        }
      });
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(done_ + refused_, threads * steps);
    EXPECT_GT(done_, threads * steps / 2);
    EXPECT_GT(refused_, 0) << "memory was never short; the test is too easy";
    exchange_.clear();
    for (const std::string& id : devices_) {
      EXPECT_LE(memory(device(id)).peak_bytes, limit) << id;
      EXPECT_EQ(memory(device(id)).tensors, 0) << id;
    }
    cleanup();
    for (const std::string& id : devices_) EXPECT_EQ(memory(device(id)).reserved_bytes, 0U) << id;
  }

 private:
  static void expect_all(const Tensor& tensor, float value) {
    if (tensor.device().id() == "null") return;
    for (const float got : tensor.to_host<float>())
      if (got != value) {
        ADD_FAILURE() << "another's numbers: " << got << ", wanted " << value;
        return;
      }
  }

  void one_step(std::mt19937_64& random, const Device& on, int number) {
    const auto value = static_cast<float>(1 + number);
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % (1U << (random() % 15)));
    const Tensor x = full({count}, value, {.device = on});
    switch (random() % 8) {
      case 0:
        expect_all(relu(x * 2.0F + x), 3 * value);
        break;
      case 1:
        tidy([&] { expect_all((x + x).reshape({1, count}).slice(0, 1), 2 * value); });
        break;
      case 2: {
        const Tensor w = full({count}, 0.5F, {.device = on});
        w.requires_grad();
        sum(w * x).backward();
        expect_all(w.grad(), value);
        break;
      }
      case 3: {
        const Tensor y = zeros({count}, {.device = on});
        const Plan plan = capture([&] { tidy([&] { copy_(y, y + relu(x)); }); });
        for (int i = 0; i < 3; ++i) plan.run();
        expect_all(y, 3 * value);
        break;
      }
      case 4: {
        const Tensor other = exchange_.swap(random(), x);  // whoever has it next may drop or use it
        if (other.defined() && !other.released() && other.device() == on) sum(other).device();
        break;
      }
      case 5:
        if (random() % 16 == 0)
          sync();
        else
          commit();
        break;
      case 6:
        EXPECT_THROW(x.reshape({count + 1}), ShapeError);
        break;
      default: {
        const Tensor parts = concat({x, x}, 0);
        x.release();
        expect_all(parts, value);
      }
    }
  }

  std::vector<std::string> devices_;
  std::atomic<int> done_{0}, refused_{0};
  Exchange exchange_;
};

TEST_F(StressThreads, MakeUseAndDropOnAllDevicesWithTinyLimits) { run(150, 96_KiB); }
TEST_F(StressThreads, SlowMakeUseAndDropOnAllDevicesForLong) { run(20'000, 160_KiB); }

// Batches of this size are gathered by a thread of the loader's own.
class LoaderThreads : public LibraryTest {
 protected:
  static constexpr std::int64_t samples = 200, width = 1024, batch = 32;
  static data::Dataset numbered() {
    std::vector<float> x;
    std::vector<std::int32_t> y;
    for (std::int64_t i = 0; i < samples; ++i) {
      x.insert(x.end(), width, static_cast<float>(i));
      y.push_back(static_cast<std::int32_t>(i));
    }
    return data::from_tensors(from_host(x, {samples, width}), from_host(y, {samples}));
  }
};

TEST_F(LoaderThreads, GatherAheadForSeveralReadersWhoMayLeaveAtAnyTime) {
  const data::Dataset shared = numbered();
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader)
    readers.emplace_back([&, reader] {
      data::Loader loader(shared, {.batch = batch, .shuffle = true, .seed = reader});
      for (int stays = 0; stays < 8; ++stays) {
        int seen = 0;
        for (const auto& [x, y] : loader) {
          const std::vector<float> values = x.to_host<float>();
          const std::vector<std::int32_t> labels = y.to_host<std::int32_t>();
          for (std::size_t row = 0; row < labels.size(); ++row)
            EXPECT_EQ(values[row * static_cast<std::size_t>(width)], static_cast<float>(labels[row]));
          if (++seen > stays) break;
        }
      }
    });
  for (std::thread& reader : readers) reader.join();
}

TEST_F(LoaderThreads, FeedATrainerWhileAnotherThreadEvaluates) {
  const data::Dataset shared = data::from_tensors(rand({samples, width}), zeros({samples, 1}));
  const auto train = [&] {
    nn::Sequential net{nn::Linear(width, 1)};
    optim::SGD opt(net.parameters(), {.lr = 1e-4});
    Trainer trainer(net, opt, mse_loss, {.epochs = 2, .batch = batch});
    EXPECT_EQ(trainer.fit(shared, shared).epochs.size(), 2U);
    EXPECT_EQ(trainer.evaluate(shared).samples, samples);
  };
  std::thread other(train);
  train();
  other.join();
}

}  // namespace
}  // namespace tidepool::stress
