// The elementwise family: what the tables make.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

namespace elementwise_cpu {
#define UNARY(name, f, df)                \
  void name(const CpuCall& call);         \
  void name##_grad(const CpuCall& call);  \
  Stages name##_stages(int instructions); \
  Stages name##_grad_stages(int instructions);
#include "ops/elementwise/unary.def"
#define BINARY(name, f, dfx, dfy)                \
  void name(const CpuCall& call);                \
  void name##_grad_x(const CpuCall& call);       \
  void name##_grad_y(const CpuCall& call);       \
  Stages name##_stages(int instructions);        \
  Stages name##_grad_x_stages(int instructions); \
  Stages name##_grad_y_stages(int instructions);
#include "ops/elementwise/binary.def"
}  // namespace elementwise_cpu

// The shape that two shapes broadcast to, by NumPy's rules.
Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b);
// Sums a gradient over the axes along which a value of this shape was broadcast.
Tensor sum_to(const Tensor& gradient, const Shape& shape);

void launch_gelu(Stream& stream, const Node& x, const Node& y);
// y = gelu of what the function launches into the node that it is given. The memory in between is taken before anything is launched.
template <class Launch>
void launch_before_gelu(Stream& stream, const char* operation, const Node& y, const Launch& launch) {
  Node before(*y.slot);
  before.become_like(y);
  before.storage = stream.take(y.bytes(), MemoryTag::scratch, operation);
  launch(before);
  launch_gelu(stream, before, y);
}

void register_elementwise(Operations& all);

}  // namespace tidepool::inline v0
