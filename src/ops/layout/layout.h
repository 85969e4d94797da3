// The layout family: filling, copying, and copies whose elements stand elsewhere (permute, broadcast, concat).
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct FillParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t bits;  // the value's
};
static_assert(Params<FillParams>);

// Element (i0, i1, …) of a shape `size` goes from in_offset + Σ i·in_stride to out_offset + Σ i·out_stride.
struct StridedParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t rank;
  std::uint32_t in_offset, out_offset;
  std::uint32_t size[8];
  std::uint32_t in_stride[8];
  std::uint32_t out_stride[8];
  std::uint32_t run;  // how many lie side by side in the output: all, the last axis, or 1
};
static_assert(Params<StridedParams>);

// One of each for elements of 4, 2 and 1 bytes.
namespace layout_cpu {
void fill_4(const CpuCall& call);
Stages fill_stages(int instructions);
void fill_2(const CpuCall& call);
void fill_1(const CpuCall& call);
void copy_4(const CpuCall& call);
Stages copy_stages(int instructions);
void copy_2(const CpuCall& call);
void copy_1(const CpuCall& call);
void strided_4(const CpuCall& call);
void strided_2(const CpuCall& call);
void strided_1(const CpuCall& call);
}  // namespace layout_cpu

using Strides = std::array<std::int64_t, Shape::max_rank>;
Strides strides_of(const Shape& shape);  // elements from one index of an axis to the next
Shape shape_with(const Shape& shape, std::int64_t axis, std::int64_t size);

// The whole numbers that i32 or u8 can hold, and whether a value, cut to one, is among them. f32 and f16 hold any value.
struct WholeNumbers {
  std::int32_t lowest, highest;
};
WholeNumbers whole_numbers(DType type);
bool holds(DType type, float value);

void launch_fill(Stream& stream, const Node& node, float value);  // which the node's type holds
void launch_copy(Stream& stream, const Node& from, const Node& to);
// A part of one tensor to a part of another, `moved` many elements along each axis.
struct StridedCopy {
  Shape moved;
  Strides in_stride, out_stride;
  std::int64_t in_offset = 0, out_offset = 0;
};
void launch_strided(Stream& stream, const Node& from, const Node& to, const StridedCopy& copy);

void register_layout(Operations& all);
void register_strided(Operations& all);

}  // namespace tidepool::inline v0
