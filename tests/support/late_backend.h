// A null backend that is never done before it is waited for, and counts what is taken away from work under way.
#pragma once

#include <chrono>
#include <memory>
#include <set>

#include "backend/null/null_backend.h"
#include "support/devices.h"

namespace tidepool::inline v0 {

class LateBackend final : public Backend {
 public:
  struct TooEarly {
    int recordings_destroyed = 0;
    int memory_freed = 0;  // of recordings
  };
  explicit LateBackend(TooEarly& too_early) : too_early_(too_early) {}

  BackendInfo info() override { return null_.info(); }
  Memory* allocate(std::size_t bytes) override { return null_.allocate(bytes); }
  void free(Memory* memory) override {
    for (const LateRecording* recording : recordings_) too_early_.memory_freed += recording->uses.contains(memory) && runs(*recording);
    null_.free(memory);
  }
  void load(const KernelDef& kernel) override { null_.load(kernel); }
  void record(const Launch& launch) override { null_.record(launch); }
  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override { null_.upload(to, offset, bytes); }
  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override { null_.download(from, offset, bytes); }
  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override {
    auto late = std::make_unique<LateRecording>(*this, null_.bake(launches));
    for (const Launch& launch : launches)
      for (const Binding& binding : launch.bound()) late->uses.insert(binding.memory);
    return late;
  }
  Serial submit(Recording* recording) override {
    if (!recording) return null_.submit(nullptr);
    auto& late = static_cast<LateRecording&>(*recording);
    return late.last = null_.submit(late.recording.get());
  }
  bool wait(Serial serial, std::chrono::nanoseconds time) override { return null_.wait(serial, time); }

 private:
  struct LateRecording final : Recording {
    LateRecording(LateBackend& on, std::unique_ptr<Recording> inner) : backend(on), recording(std::move(inner)) {
      backend.recordings_.insert(this);
    }
    ~LateRecording() override {
      backend.recordings_.erase(this);
      backend.too_early_.recordings_destroyed += backend.runs(*this);
    }
    LateBackend& backend;
    std::unique_ptr<Recording> recording;
    std::set<Memory*> uses;
    Serial last = 0;
  };
  bool runs(const LateRecording& recording) { return !null_.wait(recording.last, std::chrono::nanoseconds(0)); }

  TooEarly& too_early_;
  NullBackend null_{{.latency = 1'000'000}};
  std::set<LateRecording*> recordings_;
};

// The null device is a LateBackend and the default, until the test ends.
inline void open_late_backend(LateBackend::TooEarly& too_early) {
  too_early = {};
  slot_for("null").replace_open([&too_early] { return std::make_unique<LateBackend>(too_early); });
  reset(device("null"));
  set_default_device(device("null"));
}

}  // namespace tidepool::inline v0
