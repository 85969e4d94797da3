#include "platform/load/drm_card.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tidepool::inline v0 {

namespace {

namespace fs = std::filesystem;

// "card0", but not its connectors, "card0-HDMI-A-1".
bool is_card(std::string_view name) {
  if (!name.starts_with("card") || name.size() == 4) return false;
  return std::ranges::all_of(name.substr(4), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint32_t hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

// Lines such as PCI_ID=1002:73BF and PCI_SLOT_NAME=0000:03:00.0.
PciDevice read_uevent(const fs::path& path) {
  PciDevice pci;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view key = std::string_view(line).substr(0, equals), value = std::string_view(line).substr(equals + 1);
    if (key == "PCI_SLOT_NAME") pci.address = value;
    if (const std::size_t colon = value.find(':'); key == "PCI_ID" && colon != std::string_view::npos) {
      pci.vendor = hexadecimal(value.substr(0, colon));
      pci.device = hexadecimal(value.substr(colon + 1));
    }
  }
  return pci;
}

}  // namespace

std::string pci_address(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text.data();
}

std::vector<DrmCard> drm_cards(const std::string& sys) {
  std::vector<DrmCard> cards;
  std::error_code error;
  for (fs::directory_iterator entry(sys + "/class/drm", error), end; !error && entry != end; entry.increment(error)) {
    if (!is_card(entry->path().filename().string())) continue;
    const fs::path folder = entry->path() / "device";
    DrmCard card{.folder = folder.string(), .pci = read_uevent(folder / "uevent")};
    if (!card.pci.address.empty()) cards.push_back(std::move(card));
  }
  std::ranges::sort(cards, {}, &DrmCard::folder);
  return cards;
}

std::optional<DrmCard> find_card(const std::vector<DrmCard>& cards, const PciDevice& wanted) {
  const auto fits = [&](const DrmCard& card) {
    if (!wanted.address.empty()) return card.pci.address == wanted.address;
    return wanted.vendor != 0 && card.pci.vendor == wanted.vendor && card.pci.device == wanted.device;
  };
  const auto found = std::ranges::find_if(cards, fits);
  if (found == cards.end() || std::ranges::count_if(cards, fits) > 1) return std::nullopt;
  return *found;
}

}  // namespace tidepool::inline v0
