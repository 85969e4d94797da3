#include "monitor/advice.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "monitor/steady_part.h"
#include "monitor/wording.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr double least_gain = 0.03;
constexpr double submission_ms = 0.05;  // what sending a batch of commands costs on a GPU, about
constexpr double allocation_ms = 0.1;   // what asking the device for a block costs, about

class Adviser {
 public:
  Adviser(const RunRecord& run, const MachineFacts& machine, const SteadyPart& part) : run_(run), machine_(machine), part_(part) {}

  std::vector<Advice> all() {
    memory();
    device();
    loader();
    batch();
    threads();
    flush();
    cache();
    std::ranges::stable_sort(found_, [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
    return std::move(found_);
  }

 private:
  Advice* add(Advice::Kind kind, double gain, std::string message, std::string setting) {
    if (gain < least_gain) return nullptr;
    found_.push_back({kind, std::min(gain, 1.0), std::move(message), std::move(setting)});
    return &found_.back();
  }
  static void can_change(Advice* advice, const Settings& settings) {
    if (advice) advice->changes = settings;
  }
  bool on_cpu() const { return run_.device.kind == "cpu"; }
  bool training() const { return run_.training && part_.steps > 0; }
  bool waits_for_loader() const { return part_.loader_share >= 0.15; }
  // Idle blocks may fill memory up to the limit and do no harm, unless they are evicted for others all the time.
  bool memory_is_short() const {
    return part_.limit > 0 && (part_.highest_live >= 0.85 * part_.limit || (part_.reserved >= 0.9 * part_.limit && circles() >= 0.02));
  }
  // The share of blocks that were evicted and allocated again.
  double circles() const {
    const double taken = part_.allocations + part_.reuses;
    return taken > 0 ? std::min(part_.allocations, part_.evictions) / taken : 0;
  }
  // As the command takes it, or as a program writes it.
  std::string option(std::string_view command, std::string_view program) const {
    return std::string(run_.training && !run_.training->task.empty() ? command : program);
  }

  void memory();
  void device();
  void loader();
  void batch();
  void threads();
  void flush();
  void cache();

  const RunRecord& run_;
  const MachineFacts& machine_;
  const SteadyPart& part_;
  std::vector<Advice> found_;
};

std::string bytes_literal(double bytes) {
  const auto mib = static_cast<std::size_t>(std::ceil(bytes / (1 << 20)));
  return mib % 1024 == 0 ? cat(mib / 1024, "_GiB") : cat(mib, "_MiB");
}

// Half of the activations go where a step takes half of its samples at once; where the device has more memory, the limit may be all.
void Adviser::memory() {
  if (!memory_is_short()) return;
  const std::string evidence = cat("live memory was at ", readable_bytes_of(part_.highest_live), " of the limit of ",
                                   readable_bytes_of(part_.limit), " (", readable_share(part_.highest_live / part_.limit), ")");
  const auto total = static_cast<double>(run_.device.memory_total);
  if (total >= 2 * part_.limit) {
    const double limit = std::exp2(std::ceil(std::log2(1.5 * part_.limit)));
    const double wanted = std::min(limit, 0.75 * total);
    add(Advice::memory, 1 - part_.limit / wanted,
        cat(evidence, " while ", run_.device.id, " has ", readable_bytes_of(total), ": raise the limit"),
        option(cat("--memory-limit ", static_cast<std::size_t>(wanted) >> 20, "MiB"),
               cat("configure({.memory_limit = ", bytes_literal(wanted), "})")));
    return;
  }
  if (!training() || run_.training->batch < 2 || part_.live <= 0) return;
  const std::int64_t half = (run_.training->batch + 1) / 2;
  add(Advice::memory, 0.5 * part_.working / part_.live,
      cat(evidence, ", of which activations and plans are ", readable_bytes_of(part_.working),
          ": let a step take its batch in two parts; the result is that of the whole batch"),
      cat("TrainOptions{.micro_batch = ", half, "}"));
}

// Another device that is idle and of a better kind. A step that is over in no time, or that waits for its batches, gains nothing there.
void Adviser::device() {
  const auto rank = [](const std::string& kind) {
    if (kind == "discrete") return 3;
    if (kind == "integrated" || kind == "virtual") return 2;
    return kind == "cpu" ? 1 : 0;
  };
  const int here = rank(run_.device.kind);
  if (run_.device.kind == "test" || here >= 3) return;
  if (here > 0 && (!training() || part_.step_ms < 5 || part_.busy() < 0.5 || waits_for_loader())) return;
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& there : machine_.devices) {
    const bool better = rank(there.kind) > std::max(here, best ? rank(best->kind) : 0);
    const bool room = there.memory_total == 0 || static_cast<double>(there.memory_total) >= 1.25 * part_.highest_live;
    if (better && room && there.kind != "test" && there.load.value_or(0) < 0.5) best = &there;
  }
  if (!best) return;
  const std::string idle = best->load ? cat(" and is ", readable_share(1 - *best->load), " idle") : "";
  const std::string setting = option("--device " + best->id, "TIDEPOOL_DEVICE=" + best->id);
  Advice* found = nullptr;
  if (here == 0)
    found = add(Advice::device, 0.5,
                cat(run_.device.id, " is a graphics device in software, which computes on the processor in a roundabout way; ", best->id,
                    " (", best->name, ") is there", idle),
                setting);
  else
    found = add(Advice::device, rank(best->kind) == 3 ? 0.6 : 0.35,
                cat("steps take ", readable_ms(part_.step_ms), " on ", run_.device.id, ", which computes ", readable_share(part_.busy()),
                    " of the time; ", best->id, " (", best->name, ") is there", idle),
                setting);
  if (found) found->to_device = best->id;
}

void Adviser::loader() {
  if (!training() || !waits_for_loader()) return;
  const std::string evidence = cat("steps wait ", readable_ms(part_.loader_ms), " of ", readable_ms(part_.step_ms), " for their batches (",
                                   readable_share(part_.loader_share), ")");
  if (on_cpu() && machine_.cores > 1 && run_.settings.threads >= machine_.cores)
    add(Advice::loader, 0.7 * part_.loader_share,
        cat(evidence, " while ", run_.settings.threads, " threads compute on ", machine_.cores, " cores: leave one to the loader"),
        cat("TIDEPOOL_THREADS=", machine_.cores - 1));
  else
    add(Advice::loader, 0.7 * part_.loader_share,
        cat(evidence, ": keep samples as u8, a quarter of the bytes to gather and to send; normalized() makes them f32 on the device"),
        "data::from_tensors(x_as_u8, y).normalized(mean, deviation)");
}

// Each step has a part that does not grow with the batch: launching, waiting, reading. It is what the device does not compute.
void Adviser::batch() {
  if (!training() || memory_is_short() || waits_for_loader()) return;
  const RunTraining& t = *run_.training;
  const double step = part_.wall_ms / part_.steps, compute = part_.compute_ms / part_.steps, rest = step - compute;
  if (t.batch <= 0 || t.batches < 2 || step > 20 || part_.compute_ms <= 0 || part_.busy() > 0.6) return;
  std::int64_t batch = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(t.batch)));
  double times = 1;
  // Until a quarter of the step is left that does not grow, or an epoch would have too few steps to learn by.
  while (rest > 0.33 * times * compute && times < 8 && 2 * batch * 10 <= t.samples) {
    batch *= 2;
    times = static_cast<double>(batch) / static_cast<double>(t.batch);
  }
  const double extra = part_.working * (times - 1);
  if (times <= 1 || (part_.limit > 0 && part_.reserved + extra > 0.9 * part_.limit)) return;
  const double gain = rest / step * (1 - 1 / times);
  if (gain < 0.15) return;
  Advice* found = add(Advice::batch, gain,
                      cat("a step takes ", readable_ms(step), " of which ", run_.device.id, " computes ", readable_ms(compute), ", in ",
                          three_digits(part_.per_step(part_.launches)), " launches: a batch of ", t.batch, " is small for it"),
                      option(cat("--batch ", batch), cat("TrainOptions{.batch = ", batch, "}")));
  if (found) found->to_batch = batch;
}

void Adviser::threads() {
  if (!on_cpu() || machine_.cores <= 0 || run_.settings.threads <= 0 || part_.step_ms < 1 || part_.busy() < 0.5) return;
  const auto threads = static_cast<double>(run_.settings.threads), cores = static_cast<double>(machine_.cores);
  const std::string evidence = cat(run_.settings.threads, run_.settings.threads == 1 ? " thread computes" : " threads compute");
  const bool crowded = part_.crowd && *part_.crowd > 0.95;
  if (threads > cores)
    add(Advice::threads, 0.5 * (1 - cores / threads),
        cat(evidence, " on ", machine_.cores, " cores: they take turns and wait for each other"), cat("TIDEPOOL_THREADS=", machine_.cores));
  else if (threads < cores && part_.crowd.value_or(0) < 0.5 + 0.5 * threads / cores)
    add(Advice::threads, 0.8 * part_.busy() * (1 - threads / cores),
        cat(evidence, " ", readable_share(part_.busy()), " of the time where this process may use ", machine_.cores, " cores"),
        cat("TIDEPOOL_THREADS=", machine_.cores));
  else if (crowded && threads == cores && cores > 1 && part_.uneven > 2)
    add(Advice::threads, 0.5 * (1 - 1 / part_.uneven),
        cat(evidence, " while others keep all cores busy (", readable_share(*part_.crowd), "): steps take ", readable_ms(part_.step_ms),
            ", and one in ten over ", readable_ms(part_.uneven * part_.step_ms), ", since each waits for its slowest thread; use fewer"),
        cat("TIDEPOOL_THREADS=", machine_.cores - 1));
}

// On the CPU a batch of commands is sent by doing nothing. Plans are sent as one, whatever the setting.
void Adviser::flush() {
  const auto most = static_cast<double>(run_.settings.max_commands);
  constexpr double enough = 2000;  // of a flush
  if (on_cpu() || most <= 0 || 2 * most > enough || part_.plan_runs > 0 || part_.flushes <= 0) return;
  const double full = part_.launches / part_.flushes;  // launches of a flush
  if (full < 0.9 * most) return;
  const double seconds = part_.wall_ms / 1000;
  const double wanted = training() ? std::ceil(1.1 * part_.per_step(part_.launches) / 100) * 100 : 4 * most;
  const double times = std::clamp(wanted, 2 * most, enough) / most;
  if (times < 1.5 || (training() && part_.per_step(part_.flushes) < 2)) return;
  const double saved_ms = part_.flushes * (1 - 1 / times) * submission_ms;
  const auto more = static_cast<std::int64_t>(times * most);
  can_change(add(Advice::flush, std::min(0.3, saved_ms / part_.wall_ms),
                 cat("commands are sent ", three_digits(part_.flushes / seconds), " times a second, ", three_digits(full),
                     " launches at a time, because max_commands is ", run_.settings.max_commands,
                     training() ? cat(" and a step has ", three_digits(part_.per_step(part_.launches))) : std::string()),
                 cat("configure({.max_commands = ", more, "})")),
             {.max_commands = more});
}

// Where the memory limit is what evicts, a larger cache helps nobody.
void Adviser::cache() {
  if (circles() < 0.02 || memory_is_short()) return;
  const RunSettings& s = run_.settings;
  const bool full = s.cache_limit > 0 && part_.cached >= 0.7 * static_cast<double>(s.cache_limit);
  const double seconds = part_.wall_ms / 1000;
  const auto double_cache = 2 * s.cache_limit;
  const std::int64_t double_blocks = std::max<std::int64_t>(50, 2 * s.max_cached_per_class);
  can_change(add(Advice::cache, std::min(0.5, std::min(part_.allocations, part_.evictions) * allocation_ms / part_.wall_ms),
                 cat("of the blocks that are needed, ", readable_share(part_.allocations / (part_.allocations + part_.reuses)),
                     " are allocated anew (", three_digits(part_.allocations / seconds), " a second) while others are evicted (",
                     three_digits(part_.evictions / seconds), " a second): ",
                     full ? cat("the cache is full with ", readable_bytes_of(part_.cached))
                          : cat("at most ", s.max_cached_per_class, " idle blocks of a size are kept")),
                 full ? cat("configure({.cache_limit = ", bytes_literal(static_cast<double>(double_cache)), "})")
                      : cat("configure({.max_cached_per_class = ", double_blocks, "})")),
             full ? Settings{.cache_limit = double_cache} : Settings{.max_cached_per_class = double_blocks});
}

}  // namespace

std::vector<Advice> advise(const RunRecord& run, const MachineFacts& machine) {
  const std::optional<SteadyPart> part = steady_part(run);
  if (!part) return {};
  return Adviser(run, machine, *part).all();
}

}  // namespace tidepool::inline v0::monitor
