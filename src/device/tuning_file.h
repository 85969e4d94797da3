// Tuning files: plain text, for the one device and driver that they were measured on. `tidepool bench --tune F` writes them.
//
//     tidepool tuning 1
//     device llvmpipe (LLVM 15.0.6, 256 bits)
//     driver llvmpipe Mesa 22.3.6 (LLVM 15.0.6)
//     # work, results (few: below 65536), shader, workgroups that are enough, the shortest part
//     product few lanes 8 512
//     …
//
// Empty lines and those that begin with # are passed over. What a file does not name stays as it is without one.
#pragma once

#include "device/tuning.h"

#include <string>

namespace tidepool::inline v0 {

std::string rule_text(std::size_t work, std::size_t amount, const ProductRule& rule);  // "product few lanes 8 512"
// Throws IoError for a file that is missing or damaged, naming the line, and DeviceError for one of another device.
Tuning read_tuning(const std::string& path, const BackendInfo& info);
void write_tuning(const std::string& path, const BackendInfo& info, const Tuning& tuning);  // at once, or not at all

}  // namespace tidepool::inline v0
