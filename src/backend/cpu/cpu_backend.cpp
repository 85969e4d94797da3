#include "backend/cpu/cpu_backend.h"

#include <tidepool/error.h>

#include "backend/cpu/instructions.h"
#include "backend/cpu/onednn.h"
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

class CpuRecording final : public Recording {
 public:
  struct Step {
    const KernelDef* kernel;
    const char* operation;
    void (*function)(const CpuCall&);
    CpuCall call;
    alignas(16) std::array<std::byte, max_param_bytes> params;
  };
  std::vector<Step> steps;
};

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
                         own_only_ || environment("TIDEPOOL_ONEDNN") == "0" ? "" : ", oneDNN where it is installed");
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
      return launch.kernel->cpu(call_for(launch, launch.params.data()));
    const auto start = now();
    launch.kernel->cpu(call_for(launch, launch.params.data()));
    times_.push_back(
        {.kernel = launch.kernel, .operation = launch.operation, .stands_for = launch.stands_for, .start = start, .time = now() - start});
  }

  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override {
    std::memcpy(to->host + offset, bytes.data(), bytes.size());
  }

  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), from->host + offset, bytes.size());
  }

  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override {
    auto recording = std::make_unique<CpuRecording>();
    recording->steps.reserve(launches.size());
    for (const Launch& launch : launches) {
      CpuRecording::Step& step = recording->steps.emplace_back();
      step.kernel = launch.kernel;
      step.operation = launch.operation;
      step.function = launch.kernel->cpu;
      step.params = launch.params;
      step.call = call_for(launch, step.params.data());
    }
    return recording;
  }

  Serial submit(Recording* recording) override {
    if (recording)
      run(static_cast<const CpuRecording&>(*recording));
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
  static std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }
  void run(const CpuRecording& recording) {
    if (!timing_) [[likely]] {
      for (const CpuRecording::Step& step : recording.steps) step.function(step.call);
      return;
    }
    std::chrono::nanoseconds start = now();
    for (const CpuRecording::Step& step : recording.steps) {
      step.function(step.call);
      const std::chrono::nanoseconds end = now();  // and the next one's start: the clock is a good part of a small launch
      times_.push_back({.kernel = step.kernel, .operation = step.operation, .recording = &recording, .start = start, .time = end - start});
      start = end;
    }
  }
  CpuCall call_for(const Launch& launch, const std::byte* params) {
    CpuCall call;
    for (std::size_t i = 0; i < launch.binding_count; ++i) call.buffers[i] = launch.bindings[i].memory->host + launch.bindings[i].offset;
    call.param_bytes = params;
    call.extent = launch.extent;
    call.team = &team_;
    call.onednn = own_only_ ? nullptr : &onednn_;
    call.instructions = instructions_;
    call.program = launch.kernel->program;
    if (call.program) [[unlikely]] {
      for (std::size_t i = 0; i < launch.binding_count; ++i) call.bytes[i] = launch.bindings[i].bytes;
      call.param_size = launch.param_bytes;
    }
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
          .immediate = true};
}

std::unique_ptr<Backend> open_cpu() { return open_cpu(cpu_threads(), -1); }

std::unique_ptr<Backend> open_cpu(int threads, int instructions) { return std::make_unique<CpuBackend>(threads, instructions); }

}  // namespace tidepool::inline v0
