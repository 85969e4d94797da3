// Windows that have more elements than a loop may have rounds are done in two passes, along the rows and then along the columns, and
// gradients gather a few rows of windows at a time (docs/decisions/2026-11-16-loops-that-a-driver-cuts.md).
#include <tidepool/error.h>

#include "ops/pool/pool.h"
#include "ops/pool/windows.h"
#include "platform/cat.h"

#include <algorithm>
#include <cstddef>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w, access::rw;

ImageShape shape_of(const std::byte* params, bool pooled) {
  const auto& p = *reinterpret_cast<const PoolParams*>(params);
  return {p.channels, pooled ? p.oh * p.ow : p.h * p.w};
}
constexpr BlockedImages images{.gains = false,
                               .shape = [](const std::byte* params, std::size_t binding) { return shape_of(params, binding == 1); },
                               .at = offsetof(PoolParams, blocks)};

constexpr KernelDef max_kernel{.name = "max_pool2d", .access = accesses({r, w}), .bindings = 2, .cpu = max_pool2d_cpu, .images = &images};
constexpr KernelDef max_indices_kernel{
    .name = "max_pool2d_indices", .access = accesses({r, w, w}), .bindings = 3, .cpu = max_pool2d_indices_cpu};
constexpr KernelDef max_grad_kernel{
    .name = "max_pool2d_grad", .access = accesses({r, r, w}), .bindings = 3, .cpu = max_pool2d_grad_cpu, .images = &images};
constexpr KernelDef avg_kernel{.name = "avg_pool2d", .access = accesses({r, w}), .bindings = 2, .cpu = avg_pool2d_cpu};
constexpr KernelDef avg_grad_kernel{.name = "avg_pool2d_grad", .access = accesses({r, w}), .bindings = 2, .cpu = avg_pool2d_grad_cpu};
// For shaders.
constexpr KernelDef max_grad_windows_kernel{.name = "max_pool2d_grad_windows", .access = accesses({r, r, w}), .bindings = 3};
constexpr KernelDef max_columns_kernel{.name = "max_pool2d_columns", .access = accesses({r, r, w, w}), .bindings = 4};
constexpr KernelDef max_gather_kernel{.name = "max_pool2d_gather", .access = accesses({r, r, r, rw}), .bindings = 4};

struct Sides {
  std::uint32_t rows, columns;
};
// Elements that a window sees, and windows that see an element: at most.
Sides seen_by_window(const PoolParams& p) { return {std::min(p.kernel, p.h), std::min(p.kernel, p.w)}; }
Sides seeing_element(const PoolParams& p) {
  const std::uint32_t most = (p.kernel - 1) / p.stride + 1;
  return {std::min(most, p.oh), std::min(most, p.ow)};
}

// Of a loop in a loop, whose body has some too; a loop's end counts as a round.
double rounds_of(const Sides& sides, double body = 0) { return sides.rows * (sides.columns * (body + 1) + 2.0) + 2; }
double most_rounds(const Stream& stream) { return static_cast<double>(stream.info().max_loop); }

// A single row or column can be gone over.
void require_sides(const Stream& stream, const char* operation, const Sides& sides) {
  if (const std::uint32_t longest = std::max(sides.rows, sides.columns); longest + 2.0 > most_rounds(stream))
    throw DeviceError(operation, cat("windows reach over ", longest, " elements along a side; this device's loops end after ",
                                     stream.info().max_loop, "; move the tensors with to(device(\"cpu\"))"));
}

// The passes, with [planes, h, ow] between them.
PoolParams along_rows(PoolParams p) {
  p.along = 1;
  p.oh = p.h;
  return p;
}
PoolParams along_columns(PoolParams p) {
  p.along = 2;
  p.w = p.ow;
  return p;
}
Extent per_window(const PoolParams& p) { return {p.planes * p.oh * p.ow, 1, 1}; }
Extent per_pixel(const PoolParams& p) { return {p.planes * p.h * p.w, 1, 1}; }

class Between {
 public:
  Between(Stream& stream, const char* operation, const PoolParams& p)
      : bytes_(std::size_t{p.planes} * p.h * p.ow * sizeof(float)), held_(stream.take(bytes_, MemoryTag::scratch, operation)) {}
  Operand written() const { return scratch(held_, bytes_, Access::write); }
  Operand read() const { return scratch(held_, bytes_, Access::read); }

 private:
  std::size_t bytes_;
  Storage held_;
};

void launch_windows(Stream& stream, const char* operation, const KernelDef& kernel, const Node& x, const Node& y, const PoolParams& p) {
  const Sides sides = seen_by_window(p);
  if (rounds_of(sides) <= most_rounds(stream)) return stream.launch(kernel, {read(x), write(y)}, p, per_window(p));
  require_sides(stream, operation, sides);
  const PoolParams first = along_rows(p), second = along_columns(p);
  const Between between(stream, operation, p);
  stream.launch(kernel, {read(x), between.written()}, first, per_window(first));
  stream.launch(kernel, {between.read(), write(y)}, second, per_window(second));
}

// Each element of dx gathers from the windows that name it.
void launch_max_gather(Stream& stream, const Node& x, const Node& dy, const Node& dx, PoolParams p) {
  const Sides sides = seeing_element(p);
  require_sides(stream, "max_pool2d", sides);
  const std::size_t bytes = dy.bytes();
  const Storage largest = stream.take(bytes, MemoryTag::scratch, "max_pool2d");
  const Storage places = stream.take(bytes, MemoryTag::scratch, "max_pool2d");
  launch_max_indices(stream, "max_pool2d", read(x), scratch(largest, bytes, Access::write), scratch(places, bytes, Access::write), p);
  const double at_once = (most_rounds(stream) - 2) / (sides.columns + 2.0);
  const auto rows = at_once < sides.rows ? std::max(1U, static_cast<std::uint32_t>(at_once)) : sides.rows;
  for (; p.begin < sides.rows; p.begin = p.end) {
    p.end = p.begin + std::min(rows, sides.rows - p.begin);
    stream.launch(max_gather_kernel, {read(x), read(dy), scratch(places, bytes, Access::read), update(dx)}, p, per_pixel(p));
  }
}

}  // namespace

void launch_max_pool(Stream& stream, const Node& x, const Node& y, const PoolParams& p) {
  launch_windows(stream, "max_pool2d", max_kernel, x, y, p);
}
void launch_avg_pool(Stream& stream, const Node& x, const Node& y, const PoolParams& p) {
  launch_windows(stream, "avg_pool2d", avg_kernel, x, y, p);
}

void launch_max_indices(Stream& stream, const char* operation, const Operand& x, const Operand& y, const Operand& indices,
                        const PoolParams& p) {
  const Sides sides = seen_by_window(p);
  if (rounds_of(sides) <= most_rounds(stream)) return stream.launch(max_indices_kernel, {x, y, indices}, p, per_window(p));
  require_sides(stream, operation, sides);
  const PoolParams first = along_rows(p), second = along_columns(p);
  const Between largest(stream, operation, p), places(stream, operation, p);
  stream.launch(max_indices_kernel, {x, largest.written(), places.written()}, first, per_window(first));
  stream.launch(max_columns_kernel, {largest.read(), places.read(), y, indices}, second, per_window(second));
}

void launch_max_grad(Stream& stream, const Node& x, const Node& dy, const Node& dx, const PoolParams& p) {
  const bool by_windows = stream.info().shaders && each_in_one(p);
  const double window = rounds_of(seen_by_window(p));
  if ((by_windows ? 2 * window : rounds_of(seeing_element(p), window)) > most_rounds(stream))
    return launch_max_gather(stream, x, dy, dx, p);
  stream.launch(by_windows ? max_grad_windows_kernel : max_grad_kernel, {read(x), read(dy), write(dx)}, p,
                by_windows ? per_window(p) : per_pixel(p));
}

void launch_avg_grad(Stream& stream, const Node& dy, const Node& dx, const PoolParams& p) {
  const Sides sides = seeing_element(p);
  if (rounds_of(sides) <= most_rounds(stream)) return stream.launch(avg_grad_kernel, {read(dy), write(dx)}, p, per_pixel(p));
  require_sides(stream, "avg_pool2d", sides);
  const PoolParams first = along_columns(p), second = along_rows(p);
  const Between between(stream, "avg_pool2d", p);
  stream.launch(avg_grad_kernel, {read(dy), between.written()}, first, per_pixel(first));
  stream.launch(avg_grad_kernel, {between.read(), write(dx)}, second, per_pixel(second));
}

}  // namespace tidepool::inline v0
