#include "backend/null/null_backend.h"

#include <tidepool/error.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tidepool::inline v0 {

namespace {

struct NullMemory final : Memory {
  std::vector<std::byte> contents;  // once something is uploaded
};

class NullRecording final : public Recording {
 public:
  std::size_t launches = 0;
};

}  // namespace

NullBackend::~NullBackend() {
  for (Memory* memory : memories_) delete static_cast<NullMemory*>(memory);
}

BackendInfo NullBackend::info() {
  return {.name = "null",
          .kind = "test",
          .driver = "",
          .memory_total = options.memory,
          .memory_free = options.memory - counts.bytes,
          .offset_alignment = 256,
          .max_binding_bytes = SIZE_MAX,
          .immediate = false};
}

Memory* NullBackend::allocate(std::size_t bytes) {
  if (bytes > options.memory - counts.bytes) return nullptr;
  ++counts.allocations;
  counts.bytes += bytes;
  counts.peak = std::max(counts.peak, counts.bytes);
  auto* memory = new NullMemory;
  memory->bytes = bytes;
  memories_.insert(memory);
  return memory;
}

void NullBackend::free(Memory* memory) {
  [[maybe_unused]] const std::size_t known = memories_.erase(memory);
  assert(known == 1 && "freed twice, or never allocated here");
  ++counts.frees;
  counts.bytes -= memory->bytes;
  delete static_cast<NullMemory*>(memory);
}

void NullBackend::load(const KernelDef&) { ++counts.loads; }

void NullBackend::record(const Launch& launch) {
  open_ = true;
  if (++counts.launches == options.lose_at) throw DeviceLost("null", "loss asked for by the test");
  if (options.keep_launches) launches.push_back(launch);
}

void NullBackend::upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) {
  auto& contents = static_cast<NullMemory*>(to)->contents;
  contents.resize(to->bytes);
  std::memcpy(contents.data() + offset, bytes.data(), bytes.size());
}

void NullBackend::download(Memory* from, std::size_t offset, std::span<std::byte> bytes) {
  const auto& contents = static_cast<NullMemory*>(from)->contents;
  if (contents.empty())
    std::memset(bytes.data(), 0, bytes.size());
  else
    std::memcpy(bytes.data(), contents.data() + offset, bytes.size());
}

std::unique_ptr<Recording> NullBackend::bake(std::span<const Launch> baked) {
  ++counts.bakes;
  auto recording = std::make_unique<NullRecording>();
  recording->launches = baked.size();
  if (options.keep_launches) launches.insert(launches.end(), baked.begin(), baked.end());
  return recording;
}

Serial NullBackend::submit(Recording* recording) {
  if (recording) {
    ++counts.runs;
    counts.launches += static_cast<NullRecording*>(recording)->launches;
  } else if (!open_) {
    return serial_;
  }
  open_ = false;
  ++counts.submits;
  return ++serial_;
}

bool NullBackend::wait(Serial serial, std::chrono::nanoseconds time) {
  ++counts.waits;
  finished_ = std::max(finished_, serial_ > options.latency ? serial_ - options.latency : 0);
  if (time.count() > 0) finished_ = std::max(finished_, serial);
  return serial <= finished_;
}

}  // namespace tidepool::inline v0
