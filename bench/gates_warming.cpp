// The first training step of a small network on Vulkan, its pipelines made in the background before it; against the same with
// nothing known of earlier processes.
#include "bench/gate.h"

#ifdef TIDEPOOL_VULKAN

#include <tidepool/tidepool.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace tidepool::gates {

namespace {

// Closing the device at the end writes down what was used.
double first_step(const std::string& cache) {
  ::setenv("TIDEPOOL_CACHE", cache.c_str(), 1);
  const Device vulkan = device("vulkan:0");
  reset(vulkan);
  nn::Sequential net(nn::Conv2d(1, 8), nn::ReLU(), nn::Flatten(), nn::Linear(8 * 12 * 12, 32), nn::ReLU(), nn::Linear(32, 10));
  net.to(vulkan);
  optim::Adam adam(net.parameters());
  const Tensor x = ones({8, 1, 14, 14}, {.device = vulkan}), y = zeros({8, 10}, {.device = vulkan});
  tidepool::sync();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // as a program that reads its data meanwhile
  auto step = [&] {
    adam.zero_grad();
    mse_loss(net(x), y).backward();
    adam.step();
    tidepool::sync();
  };
  return time_of(1, step);
}

}  // namespace

Measured measure_first_step() {
  if (devices().size() < 2) return {.skipped = "no Vulkan device"};
  const char* before = std::getenv("TIDEPOOL_CACHE");
  const std::string restored = before ? before : "";
  std::string folder = (std::filesystem::temp_directory_path() / "tidepool-gate-XXXXXX").string();
  if (!mkdtemp(folder.data())) return {.skipped = "no folder for temporary files"};
  first_step(folder);
  std::vector<double> warmed, cold;
  for (int i = 0; i < 5; ++i) {
    warmed.push_back(first_step(folder));
    cold.push_back(first_step("off"));
  }
  before ? ::setenv("TIDEPOOL_CACHE", restored.c_str(), 1) : ::unsetenv("TIDEPOOL_CACHE");
  reset(device("vulkan:0"));
  std::filesystem::remove_all(folder);
  return {.ours = median(warmed), .bare = median(cold)};
}

}  // namespace tidepool::gates

#endif
