// What the kernel tells of programs that have a graphics card open: /proc/<process>/fdinfo/<file>, "drm-engine-gfx: 123 ns" and so on.
// https://docs.kernel.org/gpu/drm-usage-stats.html
//
//     FdinfoLoad load("0000:03:00.0");
//     load.read("/proc", LoadClock::now());         // counters only: nothing is known yet
//     load.read("/proc", LoadClock::now()).value;   // what was done in between
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "platform/load/load.h"

namespace tidepool::inline v0 {

struct DrmEngine {
  std::optional<std::uint64_t> nanoseconds;           // of work so far
  std::optional<std::uint64_t> cycles, total_cycles;  // of work, and in all; Intel's xe driver has no time
  std::optional<double> share;                        // amdgpu before Linux 5.19: 0 to 1, of the last moment
  std::uint64_t capacity = 1;                         // engines of this name
};

// One user of a card. A program that has it open through several files may be one client.
struct DrmClient {
  std::string card;                          // its PCI address
  std::string id;                            // empty: it has none
  std::map<std::string, DrmEngine> engines;  // those that compute or draw; video has engines of its own
};

// Absent for a file that is no graphics card.
std::optional<DrmClient> parse_fdinfo(const std::string& text);

class FdinfoLoad {
 public:
  struct Reading {
    std::optional<double> value;  // the busiest engine; absent at first, and while no client is seen
    bool complete = true;         // every process could be looked at
  };

  explicit FdinfoLoad(std::string card) : card_(std::move(card)) {}
  Reading read(const std::string& proc, LoadClock::time_point now);

 private:
  using Clients = std::map<std::string, DrmClient>;
  Clients clients(const std::string& proc, bool& complete) const;

  std::string card_;
  Clients before_;
  LoadClock::time_point then_;
};

}  // namespace tidepool::inline v0
