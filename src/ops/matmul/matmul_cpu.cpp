#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/matmul/matmul_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/matmul/matmul.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t tile_rows = 4;

HWY_INLINE FloatVector load_some(const float* from, std::size_t part) { return part == lanes ? load(from).v : load_part(from, part).v; }

// `rows` rows of c, `vectors` vectors wide, of the last only `part` lanes.
template <bool more, std::size_t rows, std::size_t vectors>
HWY_INLINE void tile(const float* a, const float* b, float* c, const MatmulParams& p, std::size_t part) {
  const std::size_t n = p.n, k = p.k;
  FloatVector sums[rows][vectors];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v)
      sums[r][v] = more ? load_some(c + r * n + v * lanes, v + 1 == vectors ? part : lanes) : hn::Zero(FloatTag());
  for (std::size_t at = p.first; at < p.last; ++at) {
    FloatVector from_b[vectors];
    for (std::size_t v = 0; v < vectors; ++v) from_b[v] = load_some(b + at * n + v * lanes, v + 1 == vectors ? part : lanes);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto from_a = hn::Set(FloatTag(), a[r * k + at]);
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(from_a, from_b[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) {
      float* to = c + r * n + v * lanes;
      if (v + 1 == vectors && part != lanes)
        store_part(sums[r][v], to, part);
      else
        store(sums[r][v], to);
    }
}

template <bool more, std::size_t rows>
HWY_INLINE void band(const float* a, const float* b, float* c, const MatmulParams& p) {
  std::size_t j = 0;
  for (; j + 2 * lanes <= p.n; j += 2 * lanes) tile<more, rows, 2>(a, b + j, c + j, p, lanes);
  for (; j + lanes <= p.n; j += lanes) tile<more, rows, 1>(a, b + j, c + j, p, lanes);
  if (j < p.n) tile<more, rows, 1>(a, b + j, c + j, p, p.n - j);
}

template <bool more>
HWY_INLINE void multiply(const CpuCall& call) {
  const auto& p = call.params<MatmulParams>();
  const auto* a = call.buffer<const float>(0);
  const auto* b = call.buffer<const float>(1);
  auto* c = call.buffer<float>(2);
  const std::size_t n = p.n, k = p.k;
  const std::size_t worth = 65536 / std::max<std::size_t>(1, n * k) + 1;  // rows that are worth a thread
  call.team->run(p.m, (worth + tile_rows - 1) / tile_rows * tile_rows, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    std::size_t i = begin;
    for (; i + tile_rows <= end; i += tile_rows) band<more, tile_rows>(a + i * k, b, c + i * n, p);
    for (; i < end; ++i) band<more, 1>(a + i * k, b, c + i * n, p);
  });
}

void run_matmul(const CpuCall& call) { multiply<false>(call); }
void run_matmul_more(const CpuCall& call) { multiply<true>(call); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void matmul_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_matmul, call); }
void matmul_more_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_matmul_more, call); }
}  // namespace tidepool::inline v0
#endif
