// Runs as a monitor would have recorded them, for what is made of records.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

struct MadeRun {
  unsigned seed = 1;
  double step_ms = 10, noise = 0.05;                              // of a step, relative
  double compute = 0.6, transfer = 0.05, wait = 0, loader = 0.1;  // shares of the wall time
  std::size_t samples = 300, launches_per_step = 40, memory = std::size_t{200} << 20, limit = std::size_t{1} << 30;
  double kernel_us = 80;
  std::size_t epochs = 3;
};

// The largest part of memory at one moment: it grows a little and breathes with the steps.
inline void fill_memory(Sample& sample, const MadeRun& made, std::size_t i) {
  const auto part = [&](double share) { return static_cast<std::size_t>(share * static_cast<double>(made.memory)); };
  sample.by_tag = {part(0.3 + 0.05 * std::sin(static_cast<double>(i) / 9)), part(0.15), part(0.15), part(0.2), part(0.1), 0};
  sample.live = 0;
  for (const std::size_t bytes : sample.by_tag) sample.live += bytes;
  sample.reserved = made.memory;
  sample.cached = sample.reserved - sample.live;
  sample.peak = made.memory;
  sample.limit = made.limit;
  sample.tensors = 120;
  sample.allocations = 300;
  sample.reuses = 100 * (i + 1);
}

inline std::vector<Sample> made_samples(const MadeRun& made) {
  std::mt19937 random(made.seed);
  std::normal_distribution<double> normal;
  std::vector<Sample> samples;
  double done = 0;
  for (std::size_t i = 0; i < made.samples; ++i) {
    Sample sample;
    sample.time = 0.1 * static_cast<double>(i + 1);
    sample.device = "vulkan:0";
    sample.step_ms = made.step_ms * std::max(0.1, 1 + made.noise * normal(random));
    done += 100 / sample.step_ms;
    sample.steps = static_cast<std::int64_t>(done);
    sample.epoch =
        std::min<std::int64_t>(static_cast<std::int64_t>(made.epochs), static_cast<std::int64_t>(i * made.epochs / made.samples) + 1);
    sample.loader_ms = made.loader * sample.step_ms;
    sample.loss = 2.3 * std::exp(-0.02 * static_cast<double>(i)) + 0.2 + 0.02 * normal(random);
    sample.accuracy = 1 - *sample.loss / 2.6;
    sample.samples_per_second = 64e3 / sample.step_ms;
    sample.compute_ms = made.compute * sample.time * 1e3;
    sample.transfer_ms = made.transfer * sample.time * 1e3;
    sample.transfer_bytes = static_cast<std::size_t>(sample.steps) * 200'000;
    sample.wait_ms = sample.compute_ms + sample.transfer_ms + made.wait * sample.time * 1e3;
    sample.launches = made.launches_per_step * static_cast<std::size_t>(sample.steps);
    sample.plan_runs = static_cast<std::uint64_t>(sample.steps);
    sample.flushes = sample.plan_runs + 20;
    sample.utilisation = made.compute;
    fill_memory(sample, made, i);
    samples.push_back(std::move(sample));
  }
  return samples;
}

inline RunRecord made_run(const MadeRun& made = {}) {
  RunRecord run;
  run.version = "0.1.0";
  run.started = "2026-11-17T02:30:00Z";
  run.samples = made_samples(made);
  run.time = run.samples.empty() ? 0 : run.samples.back().time;
  run.device = {
      .id = "vulkan:0", .name = "Radeon RX 6600", .kind = "discrete", .driver = "radv 22.3.6", .memory_total = std::size_t{8} << 30};
  run.settings = {
      .threads = 8, .max_commands = 100, .max_cached_per_class = 50, .memory_limit = made.limit, .cache_limit = std::size_t{512} << 20};
  const std::int64_t steps = run.samples.empty() ? 0 : run.samples.back().steps;
  run.training = RunTraining{.task = "fashion-mnist",
                             .epochs = 3,
                             .batch = 64,
                             .samples = 60'000,
                             .batches = 938,
                             .parameters = 421'642,
                             .epoch = static_cast<std::int64_t>(made.epochs),
                             .step = steps,
                             .started = 0.02,
                             .finished = true};
  for (std::size_t i = 0; i < made.epochs; ++i) {
    const double left = std::exp(-static_cast<double>(i));
    run.epochs.push_back({.epoch = static_cast<std::int64_t>(i) + 1,
                          .time = run.time * static_cast<double>(i + 1) / static_cast<double>(made.epochs),
                          .loss = 0.2 + 0.5 * left,
                          .accuracy = 0.93 - 0.1 * left,
                          .test_loss = 0.25 + 0.4 * left,
                          .test_accuracy = 0.91 - 0.1 * left,
                          .seconds = made.step_ms,
                          .samples_per_second = 64e3 / made.step_ms,
                          .has_accuracy = true,
                          .has_test = true});
  }
  const double compute_ms = made.compute * run.time * 1e3;
  const auto kernel = [&](const char* name, double share, double mean_us) {
    const double ms = share * compute_ms;
    run.kernels.push_back({.name = name,
                           .device = "vulkan:0",
                           .launches = static_cast<std::uint64_t>(ms * 1e3 / mean_us),
                           .timed = 64,
                           .device_ms = ms,
                           .mean_us = mean_us,
                           .share = share});
  };
  kernel("matmul_tiled", 0.55, 2 * made.kernel_us);
  kernel("conv2d_direct", 0.3, made.kernel_us);
  kernel("adam", 0.1, made.kernel_us / 2);
  kernel("relu_grad", 0.05, made.kernel_us / 8);
  run.operations = {{.name = "linear", .device = "vulkan:0", .calls = 12, .host_ms = 1.5, .device_ms = 0.55 * compute_ms, .share = 0.55},
                    {.name = "conv2d", .device = "vulkan:0", .calls = 8, .host_ms = 0.9, .device_ms = 0.3 * compute_ms, .share = 0.3}};
  PoolRegion region{.bytes = made.memory, .blocks = {}};
  region.blocks = {{.offset = 0, .bytes = made.memory / 2, .tag = 0, .holder = "conv2d"},
                   {.offset = made.memory / 2, .bytes = made.memory / 4, .tag = 3, .holder = "adam"},
                   {.offset = made.memory / 4 * 3, .bytes = made.memory / 4, .tag = -1, .holder = ""}};
  run.pool = PoolMap{.device = "vulkan:0", .time = run.time, .regions = {region}, .left_out = 0};
  run.figures["read a file"] = {.count = 12, .last = 3, .mean = 3.5, .least = 2, .most = 9, .p50 = 3.25, .p90 = 8, .p99 = 9};
  run.cost = {.seconds = 0.002 * run.time, .background_seconds = 0.004 * run.time, .total = run.time};
  return run;
}

}  // namespace tidepool::inline v0::monitor
