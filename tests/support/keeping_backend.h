// A backend that hands everything on to another, and keeps the launches that reach it, in the sequences that they run in: one for
// each batch and one for each recording. It counts how often it was to make things ready, too.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace tidepool::inline v0 {

class KeepingBackend final : public Backend {
 public:
  struct Kept {
    std::vector<std::vector<Launch>> sequences;
    int warmings = 0;
  };
  KeepingBackend(std::unique_ptr<Backend> inner, Kept& kept) : inner_(std::move(inner)), kept_(kept) {}

  BackendInfo info() override { return inner_->info(); }
  Memory* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void free(Memory* memory) override { inner_->free(memory); }
  void load(const KernelDef& kernel) override { inner_->load(kernel); }
  void warm() override {
    ++kept_.warmings;
    inner_->warm();
  }
  void record(const Launch& launch) override {
    open_.push_back(launch);
    inner_->record(launch);
  }
  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override { inner_->upload(to, offset, bytes); }
  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override { inner_->download(from, offset, bytes); }
  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override {
    kept_.sequences.emplace_back(launches.begin(), launches.end());
    return inner_->bake(launches);
  }
  Serial submit(Recording* recording) override {
    if (!open_.empty()) kept_.sequences.push_back(std::exchange(open_, {}));
    return inner_->submit(recording);
  }
  bool wait(Serial serial, std::chrono::nanoseconds time) override { return inner_->wait(serial, time); }

 private:
  std::unique_ptr<Backend> inner_;
  std::vector<Launch> open_;
  Kept& kept_;
};

}  // namespace tidepool::inline v0
