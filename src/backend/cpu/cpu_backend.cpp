#include "backend/cpu/cpu_backend.h"

#include <tidepool/error.h>

#include "backend/cpu/instructions.h"
#include "backend/cpu/onednn.h"
#include "backend/cpu/recording.h"
#include "backend/cpu/team.h"
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/system.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unordered_set>
#include <vector>

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t cache_line = 64;

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, int instructions)
      : team_(threads), onednn_(threads), own_only_(instructions >= 0), instructions_(own_only_ ? instructions : best_instructions()) {}
  ~CpuBackend() override {
    while (!memories_.empty()) free(*memories_.begin());
  }

  BackendInfo info() override {
    BackendInfo info = cpu_info();
    info.same_bits = cat(team_.threads(), " threads, ", name_of_instructions(instructions_),
                         own_only_ || !switched_on("TIDEPOOL_ONEDNN", true) ? "" : ", oneDNN where it is installed");
    return info;
  }

  Memory* allocate(std::size_t bytes) override {
    if (bytes > SIZE_MAX - cache_line) return nullptr;
    void* host = std::aligned_alloc(cache_line, (bytes + cache_line - 1) & ~(cache_line - 1));
    if (!host) return nullptr;
    auto* memory = new Memory;
    memory->bytes = bytes;
    memory->host = static_cast<std::byte*>(host);
    memories_.insert(memory);
    return memory;
  }

  void free(Memory* memory) override {
    memories_.erase(memory);
    std::free(memory->host);
    delete memory;
  }

  void load(const KernelDef& kernel) override {
    if (!kernel.cpu) throw DeviceError(kernel.name, "this kernel has no CPU function, so it cannot run on the device cpu");
  }

  void record(const Launch& launch) override {
    open_ = true;
    if (!timing_ || !launch.stands_for) [[likely]]
      return launch.kernel->cpu(call_for(launch));
    const auto start = steady_now();
    launch.kernel->cpu(call_for(launch));
    times_.push_back({.kernel = launch.kernel,
                      .operation = launch.operation,
                      .stands_for = launch.stands_for,
                      .start = start,
                      .time = steady_now() - start});
  }

  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override {
    std::memcpy(to->host + offset, bytes.data(), bytes.size());
  }

  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), from->host + offset, bytes.size());
  }

  std::uint32_t channel_block() override { return own_only_ ? 0 : onednn_.channel_block(); }

  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override { return std::make_unique<CpuRecording>(launches, common()); }

  Serial submit(Recording* recording) override {
    if (recording)
      run(static_cast<CpuRecording&>(*recording));
    else if (!open_)
      return serial_;
    open_ = false;
    return ++serial_;
  }

  bool wait(Serial, std::chrono::nanoseconds) override { return true; }

  bool time_launches(bool on) override {
    timing_ = on;
    if (on) times_.reserve(1024);  // so that a step takes nothing from the heap
    return true;
  }
  void take_times(std::vector<LaunchTime>& into) override {
    into.insert(into.end(), times_.begin(), times_.end());
    times_.clear();
  }

 private:
  void run(CpuRecording& recording) {
    if (!timing_) [[likely]]
      recording.run(team_);
    else
      recording.run_timed(team_, times_);
  }
  CpuCall common() {
    CpuCall call;  // what is not set is each call's own
    call.team = &team_;
    call.onednn = own_only_ ? nullptr : &onednn_;
    call.instructions = instructions_;
    return call;
  }
  CpuCall call_for(const Launch& launch) {
    CpuCall call = common();
    for (std::size_t i = 0; i < launch.binding_count; ++i) call.buffers[i] = launch.bindings[i].memory->host + launch.bindings[i].offset;
    take_work(call, launch, launch.params.data());
    return call;
  }

  CpuTeam team_;
  OneDnn onednn_;
  bool own_only_;
  int instructions_;
  std::unordered_set<Memory*> memories_;
  bool open_ = false;
  Serial serial_ = 0;
  bool timing_ = false;
  std::vector<LaunchTime> times_;
};

}  // namespace

int cpu_threads() {
  const int cores = usable_cores();
  const auto text = environment("TIDEPOOL_THREADS");
  if (!text) return cores;
  int threads = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), threads);
  if (error == std::errc{} && end == text->data() + text->size() && threads >= 1 && threads <= 1024) return threads;
  warn_environment("TIDEPOOL_THREADS", *text, "a number from 1 to 1024");
  return cores;
}

BackendInfo cpu_info() {
  const SystemMemory memory = system_memory();
  return {.name = processor_name(),
          .kind = "cpu",
          .driver = cat("own kernels, ", name_of_instructions(best_instructions())),
          .memory_total = memory.total,
          .memory_free = memory.available,
          .offset_alignment = 1,
          .max_binding_bytes = SIZE_MAX,
          .same_bits = {},
          .immediate = true,
          .joins = true};
}

std::unique_ptr<Backend> open_cpu() { return open_cpu(cpu_threads(), -1); }

std::unique_ptr<Backend> open_cpu(int threads, int instructions) { return std::make_unique<CpuBackend>(threads, instructions); }

}  // namespace tidepool::inline v0
