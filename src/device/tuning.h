// Which of two shaders computes a product, and in how many parts: a table that follows from the device, or from a tuning file when one
// is named. Never from a stopwatch at run time, so that the same settings give the same bits.
//
//     const ProductRule& rule = stream.tuning().rule(GpuWork::product, results);
#pragma once

#include "backend/backend.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

enum class GpuWork : std::uint8_t { product, conv, conv_input, conv_weights };
inline constexpr std::array<const char*, 4> gpu_work_names{"product", "conv", "conv_input", "conv_weights"};

struct ProductRule {
  bool lanes = false;            // across a subgroup's eight lanes; otherwise in shared tiles
  std::uint32_t enough = 256;    // workgroups that keep the whole device busy: with fewer, the sum is cut in parts
  std::uint32_t shortest = 512;  // numbers that a part adds up at least
  friend bool operator==(const ProductRule&, const ProductRule&) = default;
};

struct Tuning {
  static constexpr std::uint64_t many = 65536;  // results; with fewer, the device may not be full
  static constexpr std::array<const char*, 2> amount_names{"few", "many"};

  const ProductRule& rule(GpuWork work, std::uint64_t results) const {
    return rules[static_cast<std::size_t>(work)][results < many ? 0 : 1];
  }
  std::array<std::array<ProductRule, 2>, gpu_work_names.size()> rules{};  // by work, then by amount
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

// Lanes suit devices whose subgroups of eight are a processor's vectors; on others their shaders may not run.
inline bool has_lanes(const BackendInfo& info) { return info.lanes == 8 && info.kind == "software"; }

Tuning usual_tuning(const BackendInfo& info);
// The usual one, or that of the file that TIDEPOOL_TUNING names. A file that cannot be used is passed over with a warning; one that
// is used is told in `info.same_bits`.
Tuning tuning_for(BackendInfo& info);

}  // namespace tidepool::inline v0
