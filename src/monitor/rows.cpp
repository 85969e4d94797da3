// Tables of kernels and operations, from the counters.
#include "monitor/monitor.h"

#include <algorithm>
#include <map>

namespace tidepool::inline v0::monitor {

namespace {

double milliseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; }

// Shares of the whole, and the largest first.
template <class Row>
std::vector<Row> ranked(std::map<std::pair<std::string, std::string>, Row>&& by_name) {
  std::vector<Row> rows;
  double all = 0;
  for (auto& [key, row] : by_name) {
    all += row.device_ms;
    rows.push_back(std::move(row));
  }
  for (Row& row : rows) row.share = all > 0 ? row.device_ms / all : 0;
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) { return a.device_ms > b.device_ms; });
  return rows;
}

}  // namespace

std::vector<KernelRow> Monitor::kernel_rows(const char* device) const {
  std::map<std::pair<std::string, std::string>, KernelRow> rows;
  std::map<std::pair<std::string, std::string>, std::uint64_t> stood_for;  // names of the same text are joined
  Watcher::only().for_each_device([&](const DeviceCounters& counters) {
    if (device && std::string_view(device) != counters.id) return;
    counters.kernels.for_each([&](const char* name, const KernelCounts& counts) {
      const std::uint64_t launches = counts.launches + counts.in_plans;
      if (launches == 0) return;
      KernelRow& row = rows[{counters.id, name}];
      row.name = name;
      row.device = counters.id;
      row.launches += launches;
      row.timed += counts.timed;
      row.device_ms += milliseconds(counts.nanoseconds);
      stood_for[{counters.id, name}] += counts.stood_for;
    });
  });
  for (auto& [key, row] : rows)
    if (const std::uint64_t count = stood_for[key]) row.mean_us = 1e3 * row.device_ms / static_cast<double>(count);
  return ranked(std::move(rows));
}

std::vector<OperationRow> Monitor::operation_rows(const char* device) const {
  std::map<std::pair<std::string, std::string>, OperationRow> rows;
  Watcher::only().for_each_device([&](const DeviceCounters& counters) {
    if (device && std::string_view(device) != counters.id) return;
    counters.operations.for_each([&](const char* name, const OperationCounts& counts) {
      const std::uint64_t calls = counts.calls, stood_for = counts.stood_for;
      if (calls == 0 && counts.device_nanoseconds == 0) return;
      OperationRow& row = rows[{counters.id, name}];
      row.name = name;
      row.device = counters.id;
      row.calls += calls;
      if (stood_for) row.host_ms += milliseconds(counts.host_nanoseconds) * static_cast<double>(calls) / static_cast<double>(stood_for);
      row.device_ms += milliseconds(counts.device_nanoseconds);
    });
  });
  return ranked(std::move(rows));
}

}  // namespace tidepool::inline v0::monitor
