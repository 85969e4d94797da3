#include "core/half.h"
#include "ops/layout/layout.h"
#include "ops/typed/narrow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr FlatKernel flat_fill{.flat = [](const std::byte*) { return true; },
                               .count_at = offsetof(FillParams, count),
                               .zeroes = [](const std::byte* params) { return reinterpret_cast<const FillParams*>(params)->bits == 0; }};
constexpr ElementText fill_text{.glsl = "p.a", .numbers_at = offsetof(FillParams, bits)}, copy_text{.glsl = "x", .inputs = "x"};
constexpr FlatKernel flat_copy{.flat = [](const std::byte*) { return true; }, .count_at = offsetof(FillParams, count)};
// Of elements of less than four bytes: one shader, which is told their size.
constexpr KernelDef narrow(const char* name, std::uint8_t bindings, void (*cpu)(const CpuCall&), const char* shader, std::uint32_t bytes) {
  return {.name = name,
          .access = bindings == 1 ? accesses({w}) : accesses({r, w}),
          .bindings = bindings,
          .cpu = cpu,
          .shader = shader,
          .constants = {bytes},
          .constant_count = 1};
}
constexpr KernelDef fill_kernels[] = {
    {.name = "fill",
     .access = accesses({w}),
     .bindings = 1,
     .cpu = layout_cpu::fill_4,
     .flat = &flat_fill,
     .element = &fill_text,
     .stages = layout_cpu::fill_stages},
    narrow("fill_2", 1, layout_cpu::fill_2, "fill_narrow", 2),
    narrow("fill_1", 1, layout_cpu::fill_1, "fill_narrow", 1),
};
constexpr KernelDef copy_kernels[] = {
    {.name = "copy",
     .access = accesses({r, w}),
     .bindings = 2,
     .cpu = layout_cpu::copy_4,
     .flat = &flat_copy,
     .element = &copy_text,
     .stages = layout_cpu::copy_stages},
    narrow("copy_2", 2, layout_cpu::copy_2, "copy_narrow", 2),
    narrow("copy_1", 2, layout_cpu::copy_1, "copy_narrow", 1),
};
constexpr KernelDef strided_kernels[] = {
    {.name = "strided_copy", .access = accesses({r, w}), .bindings = 2, .cpu = layout_cpu::strided_4},
    narrow("strided_copy_2", 2, layout_cpu::strided_2, "strided_narrow", 2),
    narrow("strided_copy_1", 2, layout_cpu::strided_1, "strided_narrow", 1),
};

// 0, 1 or 2 for elements of 4, 2 and 1 bytes.
std::size_t by_size(const Node& node) { return 2 - static_cast<std::size_t>(std::countr_zero(size_of(node.dtype))); }

std::uint32_t bits_of(float value, DType type) {
  switch (type) {
    case DType::f32:
      return std::bit_cast<std::uint32_t>(value);
    case DType::f16:
      return float_to_half(value);
    case DType::i32:
      return std::bit_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    case DType::u8:
      return static_cast<std::uint8_t>(value);
  }
  return 0;
}

// Neighbouring axes that run on from each other become one; axes of size 1 vanish. The last axis is the one along which the output runs;
// where the input does not, the axis along which it does comes before it, for CPU kernels to go in tiles.
void simplify(StridedParams& p, const StridedCopy& copy) {
  for (std::int64_t axis = 0; axis < copy.moved.rank(); ++axis) {
    if (copy.moved[axis] == 1) continue;
    const auto i = static_cast<std::size_t>(axis);
    const auto size = static_cast<std::uint32_t>(copy.moved[axis]), in = static_cast<std::uint32_t>(copy.in_stride[i]),
               out = static_cast<std::uint32_t>(copy.out_stride[i]);
    if (p.rank > 0 && p.in_stride[p.rank - 1] == size * in && p.out_stride[p.rank - 1] == size * out) {
      p.size[p.rank - 1] *= size;
    } else {
      p.size[p.rank] = size;
      ++p.rank;
    }
    p.in_stride[p.rank - 1] = in;
    p.out_stride[p.rank - 1] = out;
  }
  if (p.rank == 0) {
    p.size[0] = p.in_stride[0] = p.out_stride[0] = 1;
    p.rank = 1;
  }
  if (p.in_stride[p.rank - 1] == 1) return;
  for (std::uint32_t axis = 0; axis + 2 < p.rank; ++axis)
    if (p.in_stride[axis] == 1) {
      for (auto* list : {p.size, p.in_stride, p.out_stride}) std::rotate(list + axis, list + axis + 1, list + p.rank - 1);
      return;
    }
}

std::uint32_t longest_run(const StridedParams& p) {
  std::uint32_t span = 1;
  for (std::uint32_t axis = 0; axis < p.rank; ++axis) span += (p.size[axis] - 1) * p.out_stride[axis];
  if (span == p.count) return p.count;
  return p.out_stride[p.rank - 1] == 1 ? p.size[p.rank - 1] : 1;
}

}  // namespace

WholeNumbers whole_numbers(DType type) {
  if (type == DType::u8) return {0, 255};
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

bool holds(DType type, float value) {
  if (type == DType::f32 || type == DType::f16) return true;
  const auto [lowest, highest] = whole_numbers(type);
  const double whole = std::trunc(value);
  return whole >= lowest && whole <= highest;
}

void launch_fill(Stream& stream, const Node& node, float value) {
  const FillParams p{.shifts = {}, .count = static_cast<std::uint32_t>(node.numel), .bits = bits_of(value, node.dtype)};
  stream.launch(fill_kernels[by_size(node)], {write(node)}, p, per_word(node));
}

void launch_copy(Stream& stream, const Node& from, const Node& to) {
  const FillParams p{.shifts = {}, .count = static_cast<std::uint32_t>(to.numel), .bits = 0};
  stream.launch(copy_kernels[by_size(to)], {read(from), write(to)}, p, per_word(to));
}

void launch_strided(Stream& stream, const Node& from, const Node& to, const StridedCopy& copy) {
  StridedParams p{.shifts = {},
                  .count = static_cast<std::uint32_t>(copy.moved.numel()),
                  .rank = 0,
                  .in_offset = static_cast<std::uint32_t>(copy.in_offset),
                  .out_offset = static_cast<std::uint32_t>(copy.out_offset),
                  .size = {},
                  .in_stride = {},
                  .out_stride = {},
                  .run = 1};
  if (p.count == 0) return;
  simplify(p, copy);
  p.run = longest_run(p);
  stream.launch(strided_kernels[by_size(to)], {read(from), write(to)}, p, {p.count / p.run * words_of(p.run, size_of(to.dtype)), 1, 1});
}

Strides strides_of(const Shape& shape) {
  Strides strides{};
  std::int64_t step = 1;
  for (std::int64_t axis = shape.rank(); axis-- > 0; step *= shape[axis]) strides[static_cast<std::size_t>(axis)] = step;
  return strides;
}

Shape shape_with(const Shape& shape, std::int64_t axis, std::int64_t size) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::copy(shape.begin(), shape.end(), sizes.begin());
  sizes[static_cast<std::size_t>(axis)] = size;
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank())));
}

}  // namespace tidepool::inline v0
