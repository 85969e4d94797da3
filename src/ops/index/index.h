// The index family: elements and rows chosen by numbers that live on the device. A number out of range is complained
// about (device/complaints.h), reads as 0 and writes nothing.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

// The index seen as [outer, middle, inner], its axis being the middle, of which gradients take a stretch [begin, end) at a time.
// Elements of a stretch that name the same are a chain (chains.glsl).
struct ChainParams {
  Shifts shifts;
  std::uint32_t outer, middle, inner, begin, end;
};
static_assert(Params<ChainParams>);
constexpr std::uint32_t longest_stretch = 8192;

// Element i of the index, at place (i0, i1, …) of its shape `size`, names the element of x at Σ place·stride + number·step.
struct GatherParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t rank;
  std::uint32_t step;   // elements of x from one index of the axis to the next
  std::uint32_t limit;  // how many there are
  std::uint32_t code;
  std::uint32_t size[8];
  std::uint32_t stride[8];  // of x; 0 for the axis itself
  std::uint32_t outer, middle, inner, begin, end;
};
static_assert(Params<GatherParams>);

struct RowsParams {
  Shifts shifts;
  std::uint32_t count;  // of indices
  std::uint32_t width;  // of a row
  std::uint32_t limit;  // how many rows there are
  std::uint32_t code;
  std::uint32_t outer, middle, inner, begin, end;
};
static_assert(Params<RowsParams>);

namespace index_cpu {
void gather(const CpuCall& call);        // x, index, out, complaints
void chains(const CpuCall& call);        // index, chains of a stretch
void scatter(const CpuCall& call);       // d, index, chains, out: adds, one after the other
void rows(const CpuCall& call);          // table, index, out, complaints
void rows_scatter(const CpuCall& call);  // d, index, chains, out: adds
void one_hot(const CpuCall& call);       // index, out, complaints
}  // namespace index_cpu

// Of each row of [n, classes] the element that its label names, as [n, 1]; a wrong label is a complaint of the operation.
enum class LabelsOf : std::uint8_t { cross_entropy, accuracy };
Tensor at_labels(LabelsOf operation, const Tensor& rows, const Tensor& labels);

void register_index(Operations& all);

}  // namespace tidepool::inline v0
