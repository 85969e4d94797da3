#include "monitor/report/bottlenecks.h"

#include <algorithm>

#include "monitor/report/text.h"
#include "monitor/wording.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr double worth_telling = 0.1;    // of the wall time
constexpr double mostly = 0.5;           // of the wall time: then it is what the run is bound by
constexpr double short_launch_us = 100;  // about what a launch costs the host on a slow driver
constexpr double near_limit = 0.9;       // of the memory limit
constexpr double costly_watching = 0.03;

double per(double amount, std::uint64_t count) { return count ? amount / static_cast<double>(count) : 0; }

class Search {
 public:
  Search(const RunRecord& run, const TimeSpent& time, const MemorySpent& memory) : run_(run), time_(time), memory_(memory) {}

  std::vector<Bottleneck> find() {
    if (!time_.shares.empty()) {
      compute();
      transfers();
      waiting();
      loader();
      host();
      watching();
    }
    memory();
    std::stable_sort(found_.begin(), found_.end(), [](const Bottleneck& a, const Bottleneck& b) { return a.share > b.share; });
    return std::move(found_);
  }

 private:
  void add(Bottleneck::Kind kind, double share, const char* name, std::string figure, const std::string& culprit = "") {
    found_.push_back({.kind = kind, .share = share, .name = name, .figure = std::move(figure), .culprit = culprit});
  }
  std::string share_text(TimeShare::Kind kind) const { return percent_text(time_.share_of(kind)) + " of the wall time"; }

  void compute() {
    const double share = time_.share_of(TimeShare::compute);
    if (share < mostly) return;
    std::string figure = cat("Kernels take ", share_text(TimeShare::compute), ".");
    std::string culprit;
    if (!run_.kernels.empty()) {
      const KernelRow& first = run_.kernels.front();
      culprit = quoted(first.name);
      figure += cat(" ", culprit, " alone takes ", percent_text(first.share),
                    " of the kernels' time: ", counted(first.launches, "launch", "launches"), " of ", duration_text(first.mean_us / 1e6),
                    " each.");
    }
    add(Bottleneck::compute, share, "Compute-bound", figure, culprit);
  }

  void transfers() {
    const double share = time_.share_of(TimeShare::transfer);
    if (share < worth_telling) return;
    const double rate = time_.transfer_ms > 0 ? static_cast<double>(time_.transfer_bytes) / (time_.transfer_ms / 1e3) : 0;
    std::string figure = cat("Copies between host and device take ", share_text(TimeShare::transfer), ": ",
                             readable_bytes(time_.transfer_bytes), " at ", readable_bytes_of(rate), " a second");
    if (time_.steps) figure += cat(", ", readable_bytes(time_.transfer_bytes / time_.steps), " for each step");
    add(Bottleneck::transfers, share, "Transfer-bound", figure + '.');
  }

  void waiting() {
    const double share = time_.share_of(TimeShare::wait);
    if (share < worth_telling) return;
    std::string figure = cat("The host waits for the device for ", share_text(TimeShare::wait), " while no kernel or copy runs there");
    if (time_.flushes) figure += cat(", over ", counted(time_.flushes, "submission", "submissions"));
    add(Bottleneck::waiting, share, "Waiting", figure + '.');
  }

  void loader() {
    const double share = time_.share_of(TimeShare::loader);
    if (share < worth_telling) return;
    add(Bottleneck::loader, share, "Loader-bound",
        cat("Steps wait for their batches for ", share_text(TimeShare::loader), ": ",
            duration_text(per(time_.loader_ms, time_.steps) / 1e3), " for each step."));
  }

  // What is left when the device's work is taken off: short launches one after the other, or the program itself.
  void host() {
    const double share = time_.share_of(TimeShare::host) + time_.share_of(TimeShare::unknown);
    const double launch_us = per(time_.compute_ms * 1e3, time_.launches), wall_us = per(time_.seconds * 1e6, time_.launches);
    if (share >= 0.3 && time_.launches >= 100 && launch_us < short_launch_us && wall_us < 20 * short_launch_us) {
      std::string figure =
          cat(with_commas(time_.launches), " launches of ", duration_text(launch_us / 1e6), " on average follow each other every ",
              duration_text(wall_us / 1e6), ": ", percent_text(share), " of the wall time is the host's");
      if (time_.steps) figure += cat(". A step has ", counted(time_.launches / time_.steps, "launch", "launches"));
      add(Bottleneck::launches, share, "Launch-bound", figure + '.');
    } else if (share >= mostly) {
      add(Bottleneck::host, share, "Host-bound",
          cat("For ", percent_text(share),
              " of the wall time the device has nothing to do: it is spent in the program's own code, or in calls into the library."));
    }
  }

  void watching() {
    const double share = time_.share_of(TimeShare::watching);
    if (share < costly_watching || time_.seconds < 1) return;  // of a moment, opening and closing is much
    add(Bottleneck::watching, share, "Watching", cat("Watching itself takes ", share_text(TimeShare::watching), "."));
  }

  void memory() {
    if (memory_.limit == 0 || memory_.peak == 0) return;
    const double used = static_cast<double>(memory_.peak) / static_cast<double>(memory_.limit);
    if (used < near_limit) return;
    // Blocks that were given back, of all that were asked of the device: under a tight limit it does little else.
    const double thrash = per(static_cast<double>(memory_.evictions), memory_.evictions + memory_.allocations + memory_.reuses);
    add(Bottleneck::memory, std::max(worth_telling, std::min(1.0, 2 * thrash)), "Memory-bound",
        cat("The peak of ", readable_bytes(memory_.peak), " is ", percent_text(used), " of the limit of ", readable_bytes(memory_.limit),
            "; ", counted(memory_.evictions, "block was", "blocks were"), " given back to make room, beside ",
            counted(memory_.allocations, "allocation", "allocations"), " and ", counted(memory_.reuses, "reuse", "reuses"), "."));
  }

  const RunRecord& run_;
  const TimeSpent& time_;
  const MemorySpent& memory_;
  std::vector<Bottleneck> found_;
};

}  // namespace

std::string quoted(const std::string& name) {
  std::string text = clean(name);
  std::replace(text.begin(), text.end(), '`', '\'');
  return '`' + text + '`';
}

std::vector<Bottleneck> bottlenecks_of(const RunRecord& run, const TimeSpent& time, const MemorySpent& memory) {
  return Search(run, time, memory).find();
}

}  // namespace tidepool::inline v0::monitor
