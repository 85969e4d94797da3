// One file of fdinfo.
#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include "platform/load/fdinfo.h"

namespace tidepool::inline v0 {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : text.substr(first, last - first + 1);
}

// A count with this unit. Some drivers leave it out; another unit is none that we know.
std::optional<std::uint64_t> count(std::string_view text, std::string_view unit) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return rest.empty() || rest == unit ? std::optional(value) : std::nullopt;
}

std::optional<double> share(std::string_view text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc{} || std::string_view(end, text.data() + text.size()) != "%" || percent < 0) return std::nullopt;
  return std::min(percent / 100.0, 1.0);
}

// Decoding a film does not slow computing down.
bool is_video(std::string_view engine) {
  constexpr std::array<std::string_view, 8> names{"dec", "enc", "jpeg", "video", "vcs", "vecs", "vcn", "uvd"};
  return std::ranges::any_of(names, [&](std::string_view name) { return engine.starts_with(name); });
}

// What follows the beginning, if the key has it.
std::optional<std::string> after(std::string_view key, std::string_view beginning) {
  if (!key.starts_with(beginning) || key.size() == beginning.size()) return std::nullopt;
  const std::string_view name = key.substr(beginning.size());
  return is_video(name) ? std::nullopt : std::optional<std::string>(name);
}

// amdgpu before Linux 5.19 had "pdev", "pasid" and "gfx0: 12.34%".
void read_old_line(DrmClient& client, std::string_view key, std::string_view value) {
  if (key == "pdev") client.card = value;
  if (key == "pasid" && client.id.empty()) client.id = value;  // which newer ones have as well: several clients may share it
  if (const auto part = share(value); part && !is_video(key)) client.engines[std::string(key)].share = part;
}

void read_line(DrmClient& client, std::string_view key, std::string_view value) {
  if (key == "drm-pdev")
    client.card = value;
  else if (key == "drm-client-id")
    client.id = value;
  else if (const auto capacity = after(key, "drm-engine-capacity-"))
    client.engines[*capacity].capacity = std::max<std::uint64_t>(1, count(value, "").value_or(1));
  else if (const auto total = after(key, "drm-total-cycles-"))
    client.engines[*total].total_cycles = count(value, "");
  else if (const auto cycles = after(key, "drm-cycles-"))
    client.engines[*cycles].cycles = count(value, "");
  else if (const auto engine = after(key, "drm-engine-"))
    client.engines[*engine].nanoseconds = count(value, "ns");
  else
    read_old_line(client, key, value);
}

}  // namespace

std::optional<DrmClient> parse_fdinfo(const std::string& text) {
  DrmClient client;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view whole = line;
    read_line(client, trimmed(whole.substr(0, colon)), trimmed(whole.substr(colon + 1)));
  }
  return client.card.empty() ? std::nullopt : std::optional(client);
}

}  // namespace tidepool::inline v0
