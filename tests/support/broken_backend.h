// A null backend that is lost for good at a call that a test chooses, and counts the calls that come after: the contract of a backend is
// that there are none but its destructor.
#pragma once

#include <tidepool/error.h>

#include <chrono>
#include <functional>
#include <memory>

#include "backend/null/null_backend.h"
#include "support/devices.h"

namespace tidepool::inline v0 {

struct BackendCall {
  enum Kind { allocate, free, load, record, upload, download, bake, submit, ask, wait };  // ask: waiting for no time
  Kind kind;
  const KernelDef* kernel = nullptr;  // of load and record
  std::size_t bytes = 0;              // of allocate
};

class BrokenBackend final : public Backend {
 public:
  struct Options {
    std::function<bool(const BackendCall&)> breaks = [](const BackendCall&) { return false; };
    std::function<bool(const BackendCall&)> fails = [](const BackendCall&) { return false; };  // and goes on
    std::function<bool(std::size_t bytes)> refuses = [](std::size_t) { return false; };        // memory, and goes on
    std::function<void(BackendInfo&)> describe = [](BackendInfo&) {};
    int* calls_after_loss = nullptr;
    std::chrono::nanoseconds* patience = nullptr;  // that it was told
    bool* timing = nullptr;                        // whether it was told to time launches
    NullBackend::Options null = {};
  };
  explicit BrokenBackend(Options options) : options_(std::move(options)), null_(options_.null) {}

  BackendInfo info() override {
    BackendInfo info = null_.info();
    options_.describe(info);
    return info;
  }
  Memory* allocate(std::size_t bytes) override {
    look({.kind = BackendCall::allocate, .bytes = bytes});
    return options_.refuses(bytes) ? nullptr : null_.allocate(bytes);
  }
  void free(Memory* memory) override {
    look({.kind = BackendCall::free});
    null_.free(memory);
  }
  void load(const KernelDef& kernel) override {
    look({.kind = BackendCall::load, .kernel = &kernel});
    null_.load(kernel);
  }
  void set_patience(std::chrono::nanoseconds time) override {
    count();
    if (options_.patience) *options_.patience = time;
  }
  bool time_launches(bool on) override {
    count();
    if (options_.timing) *options_.timing = on;
    return options_.timing != nullptr;
  }
  void record(const Launch& launch) override {
    look({.kind = BackendCall::record, .kernel = launch.kernel});
    null_.record(launch);
  }
  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override {
    look({.kind = BackendCall::upload});
    null_.upload(to, offset, bytes);
  }
  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override {
    look({.kind = BackendCall::download});
    null_.download(from, offset, bytes);
  }
  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override {
    look({.kind = BackendCall::bake});
    return null_.bake(launches);
  }
  Serial submit(Recording* recording) override {
    look({.kind = BackendCall::submit});
    return null_.submit(recording);
  }
  bool wait(Serial serial, std::chrono::nanoseconds time) override {
    look({.kind = time.count() == 0 ? BackendCall::ask : BackendCall::wait});
    return null_.wait(serial, time);
  }

 private:
  void count() {
    if (options_.calls_after_loss) *options_.calls_after_loss += lost_;
  }
  void look(const BackendCall& call) {
    count();
    if (options_.fails(call)) throw DeviceError("test", "failed by the test");
    if (!options_.breaks(call)) return;
    lost_ = true;
    throw DeviceLost("test", "broken by the test");
  }
  Options options_;
  NullBackend null_;
  bool lost_ = false;
};

// The null device is a BrokenBackend and the default, until the test ends.
inline void open_broken_backend(const BrokenBackend::Options& options) {
  slot_for("null").replace_open([options] { return std::make_unique<BrokenBackend>(options); });
  reset(device("null"));
  set_default_device(device("null"));
}

}  // namespace tidepool::inline v0
