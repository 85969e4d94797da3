// The files of fdinfo of all processes, and what changed in them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platform/load/fdinfo.h"

namespace tidepool::inline v0 {

namespace {

namespace fs = std::filesystem;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Most files of a process are no graphics cards. Asking where one leads costs less than reading about it.
bool leads_elsewhere(const fs::path& file) {
  std::array<char, 16> target{};
  const ssize_t length = readlink(file.c_str(), target.data(), target.size());
  return length > 0 && !std::string_view(target.data(), static_cast<std::size_t>(length)).starts_with("/dev/dri/");
}

std::uint64_t grown(const std::optional<std::uint64_t>& from, const std::optional<std::uint64_t>& to) {
  return from && to && *to > *from ? *to - *from : 0;  // a counter that shrank is another client with an old number
}

// How busy a client kept an engine; absent when this driver does not say.
std::optional<double> share_of(const DrmEngine& before, const DrmEngine& now, double nanoseconds) {
  if (now.share) return now.share;
  const auto capacity = static_cast<double>(now.capacity);
  if (now.nanoseconds && nanoseconds > 0) return static_cast<double>(grown(before.nanoseconds, now.nanoseconds)) / (nanoseconds * capacity);
  const std::uint64_t all = grown(before.total_cycles, now.total_cycles);
  if (now.cycles && all > 0) return static_cast<double>(grown(before.cycles, now.cycles)) / (static_cast<double>(all) * capacity);
  return std::nullopt;
}

}  // namespace

FdinfoLoad::Clients FdinfoLoad::clients(const std::string& proc, bool& complete) const {
  Clients found;
  std::error_code error, unreadable;
  for (fs::directory_iterator process(proc, error), end; !error && process != end; process.increment(error)) {
    if (!is_number(process->path().filename().string())) continue;
    for (fs::directory_iterator file(process->path() / "fdinfo", unreadable), last; !unreadable && file != last;
         file.increment(unreadable)) {
      if (leads_elsewhere(process->path() / "fd" / file->path().filename())) continue;
      std::ifstream stream(file->path());
      auto client = parse_fdinfo(std::string(std::istreambuf_iterator<char>(stream), {}));
      if (!client || client->card != card_) continue;
      // The same client through another file, or in a forked process, is the same work.
      const std::string key = client->id.empty() ? file->path().string() : client->id;
      found.insert_or_assign(key, std::move(*client));
    }
    complete &= !unreadable || unreadable == std::errc::no_such_file_or_directory;  // a process may end meanwhile
    unreadable.clear();
  }
  complete &= !error;
  return found;
}

FdinfoLoad::Reading FdinfoLoad::read(const std::string& proc, LoadClock::time_point now) {
  Reading reading;
  Clients current = clients(proc, reading.complete);
  const double nanoseconds = std::chrono::duration<double, std::nano>(now - then_).count();
  std::map<std::string, double> engines;  // all clients of one together
  for (const auto& [key, client] : current) {
    const auto before = before_.find(key);
    for (const auto& [name, engine] : client.engines) {
      if (before == before_.end() && !engine.share) continue;  // a counter alone says nothing
      const DrmEngine earlier = before == before_.end() ? DrmEngine{} : before->second.engines[name];
      if (const auto share = share_of(earlier, engine, nanoseconds)) engines[name] += *share;
    }
  }
  for (const auto& [name, share] : engines) reading.value = std::max(reading.value.value_or(0.0), std::min(share, 1.0));
  before_ = std::move(current);
  then_ = now;
  return reading;
}

}  // namespace tidepool::inline v0
