#include "ops/random/random.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "device/slot.h"
#include "ops/random/batch_window.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidepool::inline v0 {

namespace {

constexpr KernelDef draw_kernel{.name = "draw", .access = accesses({Access::read, Access::write}), .bindings = 2, .cpu = random_cpu::draw};
constexpr KernelDef advance_kernel{
    .name = "advance_random", .access = accesses({Access::read_write}), .bindings = 1, .cpu = random_cpu::advance};

void launch_advance(Stream& stream, std::uint32_t calls) {
  RandomParams p{};
  p.ahead = calls;
  stream.launch(advance_kernel, {stream.random_state(Access::read_write)}, p, {1, 1, 1});
}

Tensor draw(const char* operation, const Shape& shape, const TensorOptions& options, const RandomParams& params) {
  if (options.dtype != DType::f32)
    throw DTypeError(operation, cat("got the type ", options.dtype, "; wanted f32, which to(dtype) converts"));
  Tensor made = allocate_tensor(operation, shape, DType::f32, options.device.slot());
  apply_in_place(
      operation, {&made}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        auto p = attrs.as<RandomParams>();
        p.count = to_count(nodes[0]->numel);
        BatchWindow* const window = BatchWindow::current();
        if (window) {
          p.first = window->first_element(nodes[0]->numel);
          p.ahead = window->next_draw();
        }
        stream.launch(draw_kernel, {stream.random_state(Access::read), write(*nodes[0])}, p, {(p.first % 4 + p.count + 3) / 4, 1, 1});
        if (!window) launch_advance(stream, 1);
      },
      Attrs(params));
  return made;
}

}  // namespace

constinit thread_local BatchWindow* BatchWindow::current_ = nullptr;
BatchWindow::BatchWindow() : before_(std::exchange(current_, this)) {}
BatchWindow::~BatchWindow() { current_ = before_; }
void BatchWindow::at(std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  end_ = end;
  most_draws_ = std::max(most_draws_, std::exchange(draws_, 0));
}
std::uint32_t BatchWindow::first_element(std::int64_t count) const {
  const std::int64_t samples = end_ - begin_;
  return count % samples == 0 ? to_count(begin_ * (count / samples)) : 0;
}
void BatchWindow::finish(const Device& device) {
  at(0, 1);
  if (most_draws_ > 0) with_stream(device.slot(), [&](Stream& stream) { launch_advance(stream, most_draws_); });
  most_draws_ = 0;
}

void manual_seed(std::uint64_t seed) { set_random_seed(seed); }

Tensor rand(const Shape& shape, const TensorOptions& options) {
  return draw("rand", shape, options, {.shifts = {}, .count = 0, .kind = 0, .threshold = 0, .scale = 0, .first = 0, .ahead = 0});
}
Tensor randn(const Shape& shape, const TensorOptions& options) {
  return draw("randn", shape, options, {.shifts = {}, .count = 0, .kind = 1, .threshold = 0, .scale = 0, .first = 0, .ahead = 0});
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
                            .scale = all ? 0.0F : static_cast<float>(1 / (1 - p)),
                            .first = 0,
                            .ahead = 0};
  return x * draw("dropout", node.shape, {.dtype = DType::f32, .device = x.device()}, params);
}

}  // namespace tidepool::inline v0
