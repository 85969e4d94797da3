// The typed family: what elementwise operations do to tensors that are not f32. Comparisons, choosing with `where`,
// the elementwise kernels of i32, and conversion from type to type.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct TypedParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t from, to;  // DType, for conversions
  std::uint32_t keep;      // for the mask: what passes
};
static_assert(Params<TypedParams>);

namespace typed_cpu {
#define COMPARE(name, f)                \
  void name##_f32(const CpuCall& call); \
  void name##_i32(const CpuCall& call); \
  void name##_u8(const CpuCall& call);
#include "ops/typed/compare.def"
#define INTEGER_UNARY(name, to, f) void name(const CpuCall& call);
#define INTEGER_BINARY(name, to, f) void name(const CpuCall& call);
#include "ops/typed/integer.def"
void where(const CpuCall& call);
void mask(const CpuCall& call);
void cast(const CpuCall& call);
}  // namespace typed_cpu

void register_typed(Operations& all);

}  // namespace tidepool::inline v0
