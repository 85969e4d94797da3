// Logs of what the examples asked of their pool, replayed: little is reserved beyond what was asked for.
//
// TIDEPOOL_RECORD_LOGS=1 writes them anew, into tests/stress/logs.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "cli/networks.h"
#include "stress/allocation_log.h"
#include "support/devices.h"

namespace tidepool::stress {
namespace {

struct Example {
  const char* name;
  std::function<void()> run;
};

data::Dataset pictures(std::int64_t count) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 10);
  return data::from_tensors(rand({count, 1, 28, 28}), from_host(labels, {count}));
}

void train(nn::Sequential net, const data::Dataset& samples, const Trainer::Loss& loss, std::int64_t epochs, std::int64_t batch) {
  optim::Adam opt(net.parameters());
  Trainer(net, opt, loss, {.epochs = epochs, .batch = batch}).fit(samples, samples);
}

void train_sine() {
  std::vector<float> x, y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(static_cast<float>(i) / 80.0F - 6.25F);
    y.push_back(std::sin(x.back()));
  }
  train(cli::sine_network(), data::from_tensors(from_host(x, {1000, 1}), from_host(y, {1000, 1})), mse_loss, 3, 128);
}

// As a program without plans would.
void train_pictures_eagerly() {
  nn::Sequential net = cli::fashion_network();
  optim::Adam opt(net.parameters());
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto [x, y] : data::Loader(pictures(200), {.batch = 64, .shuffle = true, .seed = 1}))
      tidy([&, x = x, y = y] {
        opt.zero_grad();
        cross_entropy(net(x), y).backward();
        opt.step();
        commit();
      });
}

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"xor",
       [] {
         train(cli::xor_network(), data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1})), mse_loss, 50,
               4);
       }},
      {"sine", train_sine},
      {"fashion_mnist", [] { train(cli::fashion_network(), pictures(200), cross_entropy, 2, 64); }},
      {"fashion_mnist_eager", train_pictures_eagerly},
  };
  return all;
}

std::string path_of(const std::string& name) { return std::string(TIDEPOOL_SOURCE_DIR) + "/tests/stress/logs/" + name + ".log"; }

class AllocationLogs : public LibraryTest {};

// Fragmentation is what cannot be used even when memory is short: the log has to get by with an eighth more than it ever holds.
TEST_F(AllocationLogs, OfTheExamplesGetByWithAnEighthMoreThanTheyHold) {
  constexpr std::size_t alignment = 256;
  for (const Example& example : examples()) {
    std::ifstream file(path_of(example.name));
    std::ostringstream text;
    text << file.rdbuf();
    ASSERT_FALSE(text.str().empty()) << path_of(example.name);
    const std::size_t most = most_lent(text.str(), alignment), limit = most + most / 8;
    const PoolStats free = replay(text.str());
    try {
      const PoolStats tight = replay(text.str(), limit);
      EXPECT_LE(tight.peak, limit) << example.name;
      if (std::getenv("TIDEPOOL_LOGS_REPORT"))
        std::printf("%-20s holds %zu bytes at most; reserves %zu without a limit (%zu allocations), %zu with %zu (%zu allocations)\n",
                    example.name, most, free.peak, free.allocations, tight.peak, limit, tight.allocations);
    } catch (const OutOfMemory& error) {
      ADD_FAILURE() << example.name << ": " << error.what();
    }
  }
}

TEST_F(AllocationLogs, AreStillWhatTheExamplesDo) {
  for (const Example& example : examples()) {
    cleanup();
    manual_seed(1);
    LogRecorder recorder("cpu");
    example.run();
    if (std::getenv("TIDEPOOL_RECORD_LOGS")) std::ofstream(path_of(example.name)) << recorder.text() << '\n';
    EXPECT_GT(recorder.text().size(), 100U) << example.name;
    EXPECT_LT(recorder.text().size(), 100'000U) << example.name;
  }
}

}  // namespace
}  // namespace tidepool::stress
