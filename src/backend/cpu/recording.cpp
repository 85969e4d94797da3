#include "backend/cpu/recording.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0 {

namespace {

CpuTeam& alone() {  // kernels that are called for a piece stay in the thread that has it
  static CpuTeam team(1);
  return team;
}

// One step's work on elements [first, first + count).
void run_piece(const CpuRecording::Step& step, std::size_t first, std::size_t count, std::byte* room) {
  alignas(16) std::array<std::byte, max_param_bytes> params;
  std::memcpy(params.data(), step.params.data(), step.param_bytes);
  const auto elements = static_cast<std::uint32_t>(count);
  const StretchKernel* const stretches = step.kernel->stretches;
  const std::size_t made = stretches ? first / stretches->length(step.params.data()) : first;  // before this piece
  if (stretches)
    stretches->cut(params.data(), elements);
  else
    std::memcpy(params.data() + step.kernel->flat->count_at, &elements, sizeof elements);
  CpuCall call = step.call;
  call.param_bytes = params.data();
  call.team = &alone();
  for (std::size_t i = 0; i < step.kernel->bindings; ++i)
    call.buffers[i] = (step.passing >> i & 1) != 0 ? room + reinterpret_cast<std::uintptr_t>(step.call.buffers[i])
                                                   : step.call.buffers[i] + (i == 0 ? first : made) * step.element[i];
  step.function(call);
}

}  // namespace

CpuRecording::CpuRecording(std::span<const Launch> launches, const CpuCall& common) {
  steps_.reserve(launches.size());
  std::size_t most = 1;
  for (const Launch& launch : launches) {
    Step& step = steps_.emplace_back();
    step.kernel = launch.kernel;
    step.operation = launch.operation;
    step.function = launch.kernel->cpu;
    step.params = launch.params;
    step.param_bytes = launch.param_bytes;
    step.joined = launch.joined;
    most = std::max<std::size_t>(most, launch.joined + std::size_t{1});
    step.piece = launch.piece;
    step.passing = 0;
    step.call = common;
    take_work(step.call, launch, step.params.data());
    for (std::size_t i = 0; i < launch.binding_count; ++i) {
      const Binding& binding = launch.bindings[i];
      step.element[i] = binding.element;
      if (!binding.memory) step.passing |= static_cast<std::uint8_t>(1U << i);
      step.call.buffers[i] =
          binding.memory ? binding.memory->host + binding.offset : reinterpret_cast<std::byte*>(binding.offset);  // NOLINT: an offset
    }
  }
  shares_.reserve(most);
  for (std::size_t i = 0; i < steps_.size(); i += steps_[i].joined + std::size_t{1})
    if (steps_[i].joined) add_chain(std::span(steps_).subspan(i, steps_[i].joined + std::size_t{1}));
}

void CpuRecording::add_chain(std::span<Step> steps) {
  std::vector<ChainStep> links;
  for (const Step& step : steps) {
    ChainStep& link = links.emplace_back(ChainStep{step.kernel, step.params.data(), {}});
    for (std::size_t i = 0; i < step.kernel->bindings; ++i) link.bindings[i] = {step.call.buffers[i], (step.passing >> i & 1) != 0};
  }
  steps[0].chain = static_cast<std::uint32_t>(chains_.size());
  chains_.push_back(chain_in_registers(links, steps[0].call.instructions));
}

void CpuRecording::run(CpuTeam& team) const {
  for (auto step = steps_.begin(); step != steps_.end();) {
    if (!step->joined) [[likely]] {
      step->function(step->call);
      ++step;
      continue;
    }
    run_joined({&*step, step->joined + std::size_t{1}}, team, nullptr);
    step += step->joined + 1;
  }
}

// The times of joined steps are what the first thread spends in each, as shares of the time of all.
void CpuRecording::run_timed(CpuTeam& team, std::vector<LaunchTime>& times) {
  std::chrono::nanoseconds start = steady_now();
  for (std::size_t i = 0; i < steps_.size();) {
    const std::span steps = std::span(steps_).subspan(i, steps_[i].joined + std::size_t{1});
    shares_.assign(steps.size(), std::chrono::nanoseconds(1));
    if (steps.size() == 1)
      steps[0].function(steps[0].call);
    else
      run_joined(steps, team, &shares_);
    const std::chrono::nanoseconds end = steady_now();  // and the next one's start: the clock is a good part of a small launch
    std::chrono::nanoseconds sum{0}, so_far{0};
    for (const std::chrono::nanoseconds time : shares_) sum += time;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const auto from = start + (end - start) * so_far.count() / sum.count();
      so_far += shares_[s];
      const auto until = start + (end - start) * so_far.count() / sum.count();
      times.push_back({.kernel = steps[s].kernel, .operation = steps[s].operation, .recording = this, .start = from, .time = until - from});
    }
    start = end;
    i += steps.size();
  }
}

void CpuRecording::run_joined(std::span<const Step> steps, CpuTeam& team, Times* times) const {
  constexpr std::size_t worth = 32768;  // elements that are worth a thread
  const RegisterChain& chain = chains_[steps[0].chain];
  const std::size_t piece = steps[0].piece;
  std::uint32_t count = 0;
  std::memcpy(&count, steps[0].params.data() + steps[0].kernel->flat->count_at, sizeof count);
  team.run((count + piece - 1) / piece, std::max<std::size_t>(1, worth / piece), [&](std::size_t begin, std::size_t end) {
    std::size_t first = begin * piece;
    const std::size_t last = std::min<std::size_t>(end * piece, count);
    alignas(64) std::byte room[piece_bytes];  // not touched where nothing lives in it
    const auto next_piece = [&](Times* shares) {
      const std::size_t elements = std::min(piece, last - first);
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const std::chrono::nanoseconds from = shares ? steady_now() : std::chrono::nanoseconds(0);
        run_piece(steps[s], first, elements, room);
        if (shares) (*shares)[s] += steady_now() - from;
      }
      first += elements;
    };
    if (times && begin == 0) next_piece(times);  // in registers nobody can tell what takes how long
    if (chain.usable()) {
      const std::size_t whole = (last - first) / chain.unit() * chain.unit();
      chain.run(first, whole);
      first += whole;
    }
    while (first < last) next_piece(times && begin == 0 && !chain.usable() ? times : nullptr);
  });
}

}  // namespace tidepool::inline v0
