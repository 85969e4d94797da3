// A device that computes nothing, counts everything and fails on request: it makes pool, batch and recovery testable.
// What is uploaded can be downloaded again; kernels leave memory as it is.
#pragma once

#include "backend/backend.h"

#include <cstddef>
#include <set>
#include <vector>

namespace tidepool::inline v0 {

class NullBackend final : public Backend {
 public:
  struct Options {
    std::size_t memory = std::size_t{1} << 40;  // what the device has
    bool keep_launches = false;                 // remember every launch, for tests to look at
    std::uint64_t lose_at = 0;                  // the launch at which it is lost; 0: never
    std::uint64_t latency = 0;                  // how many later submissions it takes until one is finished
  };
  NullBackend() = default;
  explicit NullBackend(const Options& options) : options(options) {}
  ~NullBackend() override;

  BackendInfo info() override;
  Memory* allocate(std::size_t bytes) override;
  void free(Memory* memory) override;
  void load(const KernelDef& kernel) override;
  void record(const Launch& launch) override;
  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override;
  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override;
  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override;
  Serial submit(Recording* recording) override;
  bool wait(Serial serial, std::chrono::nanoseconds time) override;

  struct Counts {
    std::uint64_t allocations = 0, frees = 0, loads = 0, launches = 0, submits = 0, waits = 0, bakes = 0, runs = 0;
    std::size_t bytes = 0, peak = 0;
  };
  Counts counts;
  std::vector<Launch> launches;  // when kept
  Options options;

 private:
  std::set<Memory*> memories_;
  bool open_ = false;
  Serial serial_ = 0, finished_ = 0;
};

}  // namespace tidepool::inline v0
