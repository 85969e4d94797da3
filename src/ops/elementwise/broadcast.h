// How inputs run along an output that they are broadcast to.
#pragma once

#include "core/op.h"
#include "ops/elementwise/params.h"

namespace tidepool::inline v0 {

// The parameters of inputs that have the output's shape. What stands after a and b is not set, and not sent.
inline void set_flat(ElementwiseParams& p, std::int64_t count, float a = 0, float b = 0) {
  p.shifts = {};
  p.count = static_cast<std::uint32_t>(count);
  p.rank = 0;
  p.a = a;
  p.b = b;
}
// Fills in the rest for two inputs that are broadcast. Neighbouring axes that both run along alike become one.
void set_broadcast(ElementwiseParams& p, const Shape& out, const Shape& x, const Shape& y);
// Launches a kernel of two inputs and an output, broadcast where needed.
void launch_binary(const KernelDef& kernel, const Node& x, const Node& y, const Node& out, Stream& stream);

}  // namespace tidepool::inline v0
