// The norm family: batch_norm and layer_norm.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

// x is [batch, channels, inner]. Sums over a channel's batch * inner positions are made in parts of them.
struct BatchNormParams {
  Shifts shifts;
  std::uint32_t batch, channels, inner;
  float eps, momentum;
  std::uint32_t training;
  std::uint32_t parts, per_part;
  std::uint32_t width;  // how many neighbouring channels a GPU's workgroup takes; a power of two
};
static_assert(Params<BatchNormParams>);

// x is [rows, size]; gradients of gamma and beta are summed in parts of rows.
struct LayerNormParams {
  Shifts shifts;
  std::uint32_t rows, size, parts, per_part;
  float eps;
};
static_assert(Params<LayerNormParams>);

namespace norm_cpu {
// Statistics are [3, channels]: mean, 1 / sqrt(variance + eps), variance (divided by the number of elements).
void batch_parts(const CpuCall& call);         // x, out [parts, 2, channels]: the mean, and the sum of squared deviations from it
void batch_statistics(const CpuCall& call);    // that, statistics
void running_statistics(const CpuCall& call);  // running mean, running variance, statistics
void update_running(const CpuCall& call);      // running mean, running variance, statistics
void batch_norm(const CpuCall& call);          // x, gamma, beta, statistics, y
void batch_norm_parts(const CpuCall& call);    // x, dy, statistics, out [parts, 2, channels]: the gradients of gamma and beta
void batch_norm_grad(const CpuCall& call);     // x, dy, gamma, statistics, sums, dx
void layer_norm(const CpuCall& call);          // x, gamma, beta, y
// Those of rows are [2, rows]: mean, 1 / sqrt(variance + eps).
void row_statistics(const CpuCall& call);   // x, statistics
void layer_norm_grad(const CpuCall& call);  // x, dy, gamma, statistics, dx
void layer_norm_sums(const CpuCall& call);  // x, dy, statistics, out [parts, 2, size]
}  // namespace norm_cpu

void register_norm(Operations& all);
void register_batch_norm(Operations& all);
void register_layer_norm(Operations& all);

}  // namespace tidepool::inline v0
