// The linear family: x · wᵀ + b with the activation in one go, and its ways back.
#pragma once

#include <tidepool/ops.h>

#include "core/op.h"

namespace tidepool::inline v0 {

struct LinearParams {
  Shifts shifts;
  std::uint32_t rows, outputs, inputs;
  Activation activation;
};
static_assert(Params<LinearParams>);

struct ActivationParams {
  Shifts shifts;
  std::uint32_t count;
  Activation activation;
};
static_assert(Params<ActivationParams>);

struct ColumnParams {
  Shifts shifts;
  std::uint32_t rows, columns;
};
static_assert(Params<ColumnParams>);

void linear_cpu(const CpuCall& call);          // x, w, y
void linear_bias_cpu(const CpuCall& call);     // x, w, b, y
void activation_bwd_cpu(const CpuCall& call);  // y, dy, dx
Stages activation_bwd_stages(int instructions);
void column_sum_cpu(const CpuCall& call);  // dy, db
void add_bias_cpu(const CpuCall& call);    // x, b, y

// The launches, for the operation and for its raw twins. `b` is null where there is none.
void launch_linear(Stream& stream, const Node& x, const Node& w, const Node* b, const Node& y, Activation activation);
void launch_activation_bwd(Stream& stream, const Node& y, const Node& dy, const Operand& dx, Activation activation);
void launch_column_sum(Stream& stream, const Operand& from, const Shape& shape, const Node& sums);

// Throws unless x [n, in], w [out, in] and b [out] go together; b may be null.
void check_linear(const char* operation, const Node& x, const Node& w, const Node* b);
// Gelu's output does not tell its input, which its gradient needs: ArgumentError.
void require_gradient_from_output(const char* operation, Activation activation);

void register_linear(Operations& all);

}  // namespace tidepool::inline v0
