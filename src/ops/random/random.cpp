#include "ops/random/random.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "device/slot.h"
#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {

namespace {

constexpr KernelDef draw_kernel{.name = "draw", .access = accesses({Access::read, Access::write}), .bindings = 2, .cpu = random_cpu::draw};
constexpr KernelDef advance_kernel{
    .name = "advance_random", .access = accesses({Access::read_write}), .bindings = 1, .cpu = random_cpu::advance};

Tensor draw(const char* operation, const Shape& shape, const TensorOptions& options, const RandomParams& params) {
  if (options.dtype != DType::f32)
    throw DTypeError(operation, cat("got the type ", options.dtype, "; wanted f32, which to(dtype) converts"));
  Tensor made = allocate_tensor(operation, shape, DType::f32, options.device.slot());
  apply_in_place(
      operation, {&made}, 1, [](std::span<Node* const>) {},
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        auto p = attrs.as<RandomParams>();
        p.count = to_count(nodes[0]->numel);
        stream.launch(draw_kernel, {stream.random_state(Access::read), write(*nodes[0])}, p, {(p.count + 3) / 4, 1, 1});
        stream.launch(advance_kernel, {stream.random_state(Access::read_write)}, p, {1, 1, 1});
      },
      Attrs(params));
  return made;
}

}  // namespace

void manual_seed(std::uint64_t seed) { set_random_seed(seed); }

Tensor rand(const Shape& shape, const TensorOptions& options) {
  return draw("rand", shape, options, {.shifts = {}, .count = 0, .kind = 0, .threshold = 0, .scale = 0});
}
Tensor randn(const Shape& shape, const TensorOptions& options) {
  return draw("randn", shape, options, {.shifts = {}, .count = 0, .kind = 1, .threshold = 0, .scale = 0});
}

Tensor dropout(const Tensor& x, double p, bool training) {
  const Node& node = usable("dropout", x);
  if (node.dtype != DType::f32) throw DTypeError("dropout", cat("got a tensor of type ", node.dtype, "; wanted f32"));
  if (!(p >= 0 && p <= 1)) throw ArgumentError("dropout", cat("p is ", p, "; wanted 0 to 1"));
  if (!training || p == 0) return x;
  const double below = std::ldexp(p, 32);
  const bool all = below > 4294967295.0;
  const RandomParams params{.shifts = {},
                            .count = 0,
                            .kind = 2,
                            .threshold = all ? 0xffffffffU : static_cast<std::uint32_t>(below),
                            .scale = all ? 0.0F : static_cast<float>(1 / (1 - p))};
  return x * draw("dropout", node.shape, {.dtype = DType::f32, .device = x.device()}, params);
}

}  // namespace tidepool::inline v0
