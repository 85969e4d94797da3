#include "platform/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tidepool::inline v0 {

namespace {

namespace fs = std::filesystem;

template <class T>
void lower(std::optional<T>& limit, T to) {
  limit = limit ? std::min(*limit, to) : to;
}

template <class T>
std::optional<T> number_in(const fs::path& path) {
  std::ifstream file(path);
  T value{};
  return file >> value ? std::optional(value) : std::nullopt;  // "max" is no number, and no limit
}

// cpu.max holds "200000 100000": so many microseconds of every so many.
void read_folder(CgroupLimits& limits, const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && quota > 0 && period > 0) lower(limits.cores, quota / period);
  if (const auto memory = number_in<std::size_t>(folder / "memory.max")) lower(limits.memory, *memory);
}

std::string own_group(const std::string& proc) {
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.substr(4);
  return "";
}

void read_version_1(CgroupLimits& limits, const fs::path& root) {
  const auto quota = number_in<double>(root / "cpu/cpu.cfs_quota_us"), period = number_in<double>(root / "cpu/cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0) lower(limits.cores, *quota / *period);
  constexpr std::size_t no_limit = std::size_t{1} << 60;  // it writes a huge number for none
  const auto memory = number_in<std::size_t>(root / "memory/memory.limit_in_bytes");
  if (memory && *memory < no_limit) lower(limits.memory, *memory);
}

}  // namespace

CgroupLimits cgroup_limits(const std::string& sys, const std::string& proc) {
  CgroupLimits limits;
  const fs::path root = fs::path(sys) / "fs/cgroup";
  read_folder(limits, root);
  fs::path folder = root;
  for (const fs::path& part : fs::path(own_group(proc))) read_folder(limits, folder /= part);  // an outer limit holds within
  read_version_1(limits, root);
  return limits;
}

}  // namespace tidepool::inline v0
