#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/reduce_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/reduce/reduce.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

// A stretch of floats, in four vectors side by side.
HWY_INLINE float sum_stretch(const float* from, std::size_t count) {
  Pack a(0.0F), b(0.0F), c(0.0F), d(0.0F);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = a + load(from + i);
    b = b + load(from + i + lanes);
    c = c + load(from + i + 2 * lanes);
    d = d + load(from + i + 3 * lanes);
  }
  a = (a + b) + (c + d);
  for (; i + lanes <= count; i += lanes) a = a + load(from + i);
  if (i < count) a = a + load_part(from + i, count - i);
  return add_lanes(a);
}

void run_sum(const CpuCall& call) {
  const auto& p = call.params<ReduceParams>();
  const auto* in = call.buffer<const float>(0);
  auto* out = call.buffer<float>(1);
  const std::size_t inner = p.inner, work = std::min<std::size_t>(p.per_part, p.middle) * inner;
  const std::size_t rows = static_cast<std::size_t>(p.outer) * p.parts;
  call.team->run(rows, std::max<std::size_t>(1, 32768 / std::max<std::size_t>(1, work)),
                 [&](std::size_t begin_row, std::size_t end_row) HWY_ATTR {
                   for (std::size_t row = begin_row; row < end_row; ++row) {
                     const std::size_t outer = row / p.parts, part = row % p.parts;
                     const std::size_t begin = part * p.per_part, end = std::min<std::size_t>(begin + p.per_part, p.middle);
                     const float* from = in + (outer * p.middle + begin) * inner;
                     float* to = out + row * inner;
                     if (inner == 1) {
                       *to = sum_stretch(from, end - begin);
                       continue;
                     }
                     std::size_t i = 0;
                     for (; i + lanes <= inner; i += lanes) {
                       Pack sum(0.0F);
                       for (std::size_t m = 0; m < end - begin; ++m) sum = sum + load(from + m * inner + i);
                       store(sum, to + i);
                     }
                     if (i < inner) {
                       Pack sum(0.0F);
                       for (std::size_t m = 0; m < end - begin; ++m) sum = sum + load_part(from + m * inner + i, inner - i);
                       store_part(sum, to + i, inner - i);
                     }
                   }
                 });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void sum_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_sum, call); }
}  // namespace tidepool::inline v0
#endif
