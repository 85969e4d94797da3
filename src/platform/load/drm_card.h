// Graphics cards as the Linux kernel lists them in /sys/class/drm, and which of them a device is.
//
//     const auto card = find_card(drm_cards("/sys"), {.address = "0000:03:00.0"});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

// What a driver tells of where its device is.
struct PciDevice {
  std::string address = {};  // "0000:03:00.0"; empty when the driver does not say
  std::uint32_t vendor = 0;
  std::uint32_t device = 0;
};

// As the kernel writes it.
std::string pci_address(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function);

struct DrmCard {
  std::string folder;  // that of the PCI device
  PciDevice pci;
};

std::vector<DrmCard> drm_cards(const std::string& sys);
// By address; without one by vendor and device, if there is only one such card.
std::optional<DrmCard> find_card(const std::vector<DrmCard>& cards, const PciDevice& wanted);

}  // namespace tidepool::inline v0
