// What a device did, counted as it happens. One thread writes at a time (the device's lock is held), any may read; nobody waits for
// anybody, and nothing is allocated.
#pragma once

#include "memory/block_pool.h"
#include "monitor/event.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0::monitor {

// A number with one writer at a time. A call would cost as much as the counting: in files that are compiled together gcc makes calls of
// it.
class Count {
 public:
  [[gnu::always_inline]] void add(std::uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct KernelCounts {
  std::atomic<const char*> name{nullptr};
  Count launches;     // on their own
  Count in_plans;     // by what timed runs stand for
  Count timed;        // launches with a time
  Count stood_for;    // by them
  Count nanoseconds;  // of all that they stand for
};

struct OperationCounts {
  std::atomic<const char*> name{nullptr};
  Count calls;
  Count timed, stood_for, host_nanoseconds;  // calls with a time; how many they stand for, and those ones' time
  Count device_nanoseconds;                  // by what timed launches stand for
};

// Rows by name, found by the name's address. Names are constants of the program; those of the same text are joined when read.
template <class Row>
class CountTable {
 public:
  static constexpr std::size_t rows = 1024;

  Row& of(const char* name) {
    std::size_t place = (reinterpret_cast<std::uintptr_t>(name) >> 3) * 0x9e3779b97f4a7c15ULL >> 54;
    for (std::size_t tries = 0; tries < 32; ++tries, place = (place + 1) % rows) {
      const char* there = rows_[place].name.load(std::memory_order_relaxed);
      if (there == name) [[likely]]
        return rows_[place];
      if (!there) {
        rows_[place].name.store(name, std::memory_order_release);
        return rows_[place];
      }
    }
    return rest_;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Row& row : rows_)
      if (const char* name = row.name.load(std::memory_order_acquire)) visit(name, row);
    visit("(others)", rest_);
  }

 private:
  std::array<Row, rows> rows_;
  Row rest_;  // of names that found no place
};

struct DeviceCounters {
  explicit DeviceCounters(const char* id) : id(id) {}
  const char* const id;
  Count launches, flushes, plan_runs, planned_launches, allocations, reuses, evictions, given_back, waits, calls, timed_launches, clocks;
  Count uploads, downloads, transfer_bytes, transfer_nanoseconds, wait_nanoseconds, compute_nanoseconds;
  CountTable<KernelCounts> kernels;
  CountTable<OperationCounts> operations;

  void on(const Event& event) noexcept;
  std::uint64_t events() const;  // that were counted; `clocks`: readings of the clock for them
};

}  // namespace tidepool::inline v0::monitor
