#include "ops/elementwise/broadcast.h"

#include <tidepool/error.h>

#include "ops/elementwise/elementwise.h"
#include "ops/typed/narrow.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  const std::int64_t rank = std::max(a.rank(), b.rank());
  for (std::int64_t i = 1; i <= rank; ++i) {
    const std::int64_t na = i <= a.rank() ? a[-i] : 1, nb = i <= b.rank() ? b[-i] : 1;
    if (na != nb && na != 1 && nb != 1)
      throw ShapeError(operation, cat("shapes do not broadcast: ", a, " and ", b, " differ in axis ", -i, "; sizes must be equal or 1"));
    sizes[static_cast<std::size_t>(rank - i)] = na == 1 ? nb : na;
  }
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(rank)));
}

void set_broadcast(ElementwiseParams& p, const Shape& out, const Shape& x, const Shape& y) {
  std::uint32_t size[8], stride_x[8], stride_y[8];
  std::size_t rank = 0;  // so far, innermost first
  std::uint32_t step_x = 1, step_y = 1;
  for (std::int64_t i = 1; i <= out.rank(); ++i) {
    const auto n = static_cast<std::uint32_t>(out[-i]);
    const auto own = [&](const Shape& shape) { return i <= shape.rank() ? static_cast<std::uint32_t>(shape[-i]) : 1U; };
    const std::uint32_t nx = own(x), ny = own(y);
    if (n != 1) {
      const std::uint32_t sx = nx == 1 ? 0 : step_x, sy = ny == 1 ? 0 : step_y;
      if (rank > 0 && stride_x[rank - 1] * size[rank - 1] == sx && stride_y[rank - 1] * size[rank - 1] == sy) {
        size[rank - 1] *= n;
      } else {
        size[rank] = n;
        stride_x[rank] = sx;
        stride_y[rank] = sy;
        ++rank;
      }
    }
    step_x *= nx;
    step_y *= ny;
  }
  p.rank = static_cast<std::uint32_t>(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    p.size[i] = size[rank - 1 - i];
    p.stride_x[i] = stride_x[rank - 1 - i];
    p.stride_y[i] = stride_y[rank - 1 - i];
  }
  std::fill(p.size + rank, p.size + 8, 1U);
  std::fill(p.stride_x + rank, p.stride_x + 8, 0U);
  std::fill(p.stride_y + rank, p.stride_y + 8, 0U);
}

void launch_binary(const KernelDef& kernel, const Node& x, const Node& y, const Node& out, Stream& stream) {
  // With as many elements as the output, an input is not broadcast.
  if (x.numel == out.numel && y.numel == out.numel) [[likely]] {
    stream.launch_filled<ElementwiseParams>(kernel, {read(x), read(y), write(out)}, per_word(out), ElementwiseParams::flat_bytes,
                                            [&](ElementwiseParams& p) { set_flat(p, out.numel); });
    return;
  }
  ElementwiseParams p;
  set_flat(p, out.numel);
  set_broadcast(p, out.shape, x.shape, y.shape);
  stream.launch(kernel, {read(x), read(y), write(out)}, p, per_word(out));
}

}  // namespace tidepool::inline v0
