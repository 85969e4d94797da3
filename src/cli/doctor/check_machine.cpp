#include <unistd.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "backend/cpu/onednn.h"
#include "cli/doctor/checks.h"
#include "platform/bytes.h"
#include "platform/cache_folder.h"
#include "platform/cat.h"
#include "platform/cgroup.h"
#include "platform/environment.h"
#include "platform/system.h"

namespace tidepool::cli {

namespace {

constexpr std::size_t little_memory = std::size_t{1} << 30;

// Whether a file can be made there.
bool is_writable(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string path = cat(folder, "/doctor-", getpid());
  const bool written = static_cast<bool>(std::ofstream(path) << "x" << std::flush);
  fs::remove(path, error);
  return written;
}

}  // namespace

void check_memory(Findings& findings) {
  const SystemMemory memory = system_memory();
  const std::string there = cat(readable_bytes(memory.total), ", ", readable_bytes(memory.available), " available");
  const auto limit = environment("TIDEPOOL_MEMORY_LIMIT");
  const auto group = cgroup_limits().memory;
  if (limit && !parse_bytes(*limit))
    findings.warn("memory", "TIDEPOOL_MEMORY_LIMIT cannot be read and is ignored", "write it as 2GiB or 512MiB");
  else if (group && *group < memory.total && !limit)
    findings.warn("memory", cat(there, "; a container allows ", readable_bytes(*group), ", and nothing keeps us below that"),
                  cat("set TIDEPOOL_MEMORY_LIMIT=", *group / 4 * 3 >> 20, "MiB, so that a full memory is an error and not the end"));
  else if (memory.available < little_memory)
    findings.warn("memory", there, "close other programs, or set TIDEPOOL_MEMORY_LIMIT");
  else
    findings.ok("memory", cat(there, limit ? cat("; limited to ", *limit, " by TIDEPOOL_MEMORY_LIMIT") : "; no limit is set"));
}

void check_threads(Findings& findings) {
  const int cores = usable_cores();
  const auto wanted = environment("TIDEPOOL_THREADS");
  const auto group = cgroup_limits().cores;
  int threads = cores;
  if (wanted) {
    const auto [end, error] = std::from_chars(wanted->data(), wanted->data() + wanted->size(), threads);
    if (error != std::errc{} || end != wanted->data() + wanted->size() || threads < 1 || threads > 1024) {
      findings.warn("threads", "TIDEPOOL_THREADS cannot be read and is ignored", "write a number from 1 to 1024, or unset it");
      return;
    }
  }
  const double usable = group ? std::min(*group, static_cast<double>(cores)) : cores;
  const std::string text = cat(threads, " threads on ", cores, " cores", group ? cat(", of which a container allows ", *group) : "");
  if (threads > std::ceil(usable))
    findings.warn("threads", text + ": they will wait for each other", cat("set TIDEPOOL_THREADS=", std::lround(std::ceil(usable))));
  else
    findings.ok("threads", text);
}

void check_cache(Findings& findings) {
  const std::string folder = cache_folder();
  if (folder.empty())
    findings.ok("cache", "compiled shaders are not kept: TIDEPOOL_CACHE is off, or there is no home folder");
  else if (is_writable(folder))
    findings.ok("cache", "compiled shaders are kept for the next start");
  else
    findings.warn("cache", "compiled shaders cannot be kept, so every start on a GPU takes longer",
                  cat("make ", folder, " writable, or set TIDEPOOL_CACHE to a folder that is, or to off"));
}

void check_onednn(Findings& findings) {
  if (!switched_on("TIDEPOOL_ONEDNN", true))
    findings.ok("oneDNN", "turned off by TIDEPOOL_ONEDNN=0; our own kernels serve");
  else if (OneDnn(1).there())
    findings.ok("oneDNN", "found; it does the CPU's large products and convolutions");
  else
    findings.warn("oneDNN", "not found, or this build is without it: large products and convolutions on the CPU take longer",
                  "install oneDNN 2 (Debian: libdnnl2)");
}

}  // namespace tidepool::cli
