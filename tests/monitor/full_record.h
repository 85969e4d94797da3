// A record in which every list has something and no figure is that of its neighbour.
#pragma once

#include <limits>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

inline Sample full_sample(double time) {
  Sample s;
  s.time = time;
  s.device = "vulkan:0";
  s.tensors = 42;
  s.live = 1000;
  s.reserved = 4096;
  s.cached = 3096;
  s.peak = 5000;
  s.limit = 8192;
  s.by_tag = {500, 200, 150, 100, 30, 20};
  s.launches = 101;
  s.flushes = 11;
  s.plan_runs = 12;
  s.allocations = 13;
  s.reuses = 14;
  s.evictions = 15;
  s.transfers = 16;
  s.transfer_bytes = 65536;
  s.compute_ms = 1500.5;
  s.transfer_ms = 20.25;
  s.wait_ms = 30.125;
  s.utilisation = 0.75;
  s.system_utilisation = 0.875;
  s.epoch = 2;
  s.steps = 77;
  s.step_ms = 12.5;
  s.loader_ms = 0.5;
  s.loss = 0.1;
  s.accuracy = 0.9375;
  s.samples_per_second = 5120;
  return s;
}

inline RunRecord full_record() {
  RunRecord run;
  run.version = "0.1.0";
  run.started = "2026-11-17T02:30:00Z";
  run.time = 12.3;
  run.running = true;
  run.device = {"vulkan:0", "A device", "gpu", "driver 1.2", std::size_t{8} << 30};
  run.settings = {4, 400, 8, 8192, 4096};
  run.training = RunTraining{"fashion-mnist", 10, 64, 60000, 938, 421642, 2, 77, -3, 0.5, false};
  run.samples = {full_sample(11), full_sample(12)};
  run.samples[1].loss = std::numeric_limits<double>::quiet_NaN();
  run.samples[1].utilisation.reset();
  run.epochs = {{1, 5.5, 0.5, 0.75, 0.625, 0.5, 5.25, 11000, true, true}, {2, 11.5, 0.25, 0, 0, 0, 6, 10000, false, false}};
  run.kernels = {{"matmul_tiles", "vulkan:0", 1000, 16, 750, 750, 0.75}, {"relu", "vulkan:0", 2000, 32, 250, 125, 0.25}};
  run.operations = {{"matmul", "vulkan:0", 500, 6.5, 750, 0.75}};
  run.anomalies = {{Anomaly::leak, 10.5, "live: activations", 5e6, 1e6, 2e6, "activations grow by 1 MiB a second"},
                   {Anomaly::loss, 12, "loss", std::numeric_limits<double>::quiet_NaN(), 0, 1, "the loss is not a number"}};
  run.advice = {{Advice::batch, 0.25, "the device waits: batches of 256 would fill it", "--batch 256"}};
  run.forecast.training_end = Expectation{100, 90, 120, "training ends in about 2 minutes"};
  run.events = {{0.25, "selected", "vulkan:0", "the only GPU"}, {11.75, "fallback", "cpu", "vulkan:0 was lost"}};
  run.pool = PoolMap{"vulkan:0", 12.25, {{4096, {{0, 1024, 1, "conv2d"}, {1024, 3072, -1, ""}}}}, 17};
  run.figures = {{"my figure", {5, 1, 2, 0.5, 4, 1.75, 3.5, 3.9}}};
  run.cost = {0.01, 0.02, 12.3};
  run.totals = {{{Anomaly::leak, 1}, {Anomaly::loss, 1200}}, {{{"selected", "vulkan:0"}, 1}, {{"fallback", "cpu"}, 1500}}};
  return run;
}

}  // namespace tidepool::inline v0::monitor
