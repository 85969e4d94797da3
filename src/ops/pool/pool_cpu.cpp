#define TIDEPOOL_SIMD_WIDE  // most rows of windows are short, and a part of a vector costs less there
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pool/pool_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "device/complaints.h"
#include "ops/pool/pool.h"
#include "ops/pool/windows.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

struct Best {
  float value;
  std::size_t at;
};
// The first of the largest; of NaNs the last, as PyTorch has it.
HWY_INLINE Best best_of(const float* plane, const PoolParams& p, const Stretch& rows, const Stretch& columns) {
  Best best{-HUGE_VALF, rows.begin * p.w + columns.begin};
  for (std::size_t y = rows.begin; y < rows.end; ++y)
    for (std::size_t at = y * p.w + columns.begin; at < y * p.w + columns.end; ++at)
      if (plane[at] > best.value || plane[at] != plane[at]) best = {plane[at], at};
  return best;
}

// Windows of two by two that do not overlap are common, and go through vectors.
HWY_INLINE bool in_pairs(const PoolParams& p) { return p.kernel == 2 && p.stride == 2 && p.padding == 0; }

struct Quads {  // of neighbouring windows: the elements above, then those below
  FloatVector of[4];
};
// Pairs of floats, as many as a vector has lanes at most: their first and their second halves. Nothing beyond them is touched.
HWY_INLINE void load_pairs(const float* from, std::size_t count, FloatVector& first, FloatVector& second) {
  if (count == lanes) return hn::LoadInterleaved2(FloatTag(), from, first, second);
  HWY_ALIGN float buffer[2 * lanes];
  const std::size_t low = std::min(2 * count, lanes), high = 2 * count - low;
  store(load_some(from, low), buffer);
  store(high ? load_part(from + lanes, high) : Pack(0.0F), buffer + lanes);
  hn::LoadInterleaved2(FloatTag(), buffer, first, second);
}
HWY_INLINE void store_pairs(FloatVector first, FloatVector second, float* to, std::size_t count) {
  if (count == lanes) return hn::StoreInterleaved2(first, second, FloatTag(), to);
  HWY_ALIGN float buffer[2 * lanes];
  hn::StoreInterleaved2(first, second, FloatTag(), buffer);
  const std::size_t low = std::min(2 * count, lanes), high = 2 * count - low;
  store_some(load(buffer), to, low);
  if (high) store_part(load(buffer + lanes), to + lanes, high);
}
HWY_INLINE Quads load_quads(const float* above, const float* below, std::size_t windows) {
  Quads q;
  load_pairs(above, windows, q.of[0], q.of[1]);
  load_pairs(below, windows, q.of[2], q.of[3]);
  return q;
}
HWY_INLINE void store_quads(const Quads& q, float* above, float* below, std::size_t windows) {
  store_pairs(q.of[0], q.of[1], above, windows);
  store_pairs(q.of[2], q.of[3], below, windows);
}
// The value; where it is, as a number from 0 to 3.
HWY_INLINE void best_of(const Quads& q, FloatVector& value, FloatVector& place) {
  value = q.of[0];
  place = hn::Zero(FloatTag());
  for (int i = 1; i < 4; ++i) {
    const auto better = hn::Or(hn::Gt(q.of[i], value), hn::IsNaN(q.of[i]));
    value = hn::IfThenElse(better, q.of[i], value);
    place = hn::IfThenElse(better, hn::Set(FloatTag(), static_cast<float>(i)), place);
  }
}

// As relu has it: NaN is not at or below zero.
HWY_INLINE FloatVector above_zero(FloatVector value, FloatVector then) {
  return hn::IfThenZeroElse(hn::Le(value, hn::Zero(FloatTag())), then);
}

// work(plane) for every plane.
template <class Work>
HWY_INLINE void for_planes(const CpuCall& call, std::size_t planes, std::size_t elements, Work&& work) {
  call.team->run(planes, 8192 / std::max<std::size_t>(1, elements) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t plane = begin; plane < end; ++plane) work(plane);
  });
}

// work(oy, ox, rows, columns) for the windows of a row from `first` on.
template <class Work>
HWY_INLINE void for_windows(const PoolParams& p, std::size_t oy, std::size_t first, Work&& work) {
  const Stretch rows = seen(oy, p.h, p);
  for (std::size_t ox = first; ox < p.ow; ++ox) work(ox, rows, seen(ox, p.w, p));
}

void run_max(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const auto* x = call.buffer<const float>(0);
  auto* y = call.buffer<float>(1);
  for_planes(call, p.planes, static_cast<std::size_t>(p.h) * p.w, [&](std::size_t plane) HWY_ATTR {
    const float* from = x + plane * p.h * p.w;
    for (std::size_t oy = 0; oy < p.oh; ++oy) {
      float* to = y + (plane * p.oh + oy) * p.ow;
      std::size_t done = 0;
      for (std::size_t some = 0; in_pairs(p) && done < p.ow; done += some) {
        some = std::min<std::size_t>(lanes, p.ow - done);
        const float* above = from + 2 * (oy * p.w + done);
        FloatVector value, place;
        best_of(load_quads(above, above + p.w, some), value, place);
        store_some(p.relu ? above_zero(value, value) : value, to + done, some);
      }
      for_windows(p, oy, done, [&](std::size_t ox, const Stretch& rows, const Stretch& columns) HWY_ATTR {
        const float value = best_of(from, p, rows, columns).value;
        to[ox] = p.relu && value <= 0.0F ? 0.0F : value;
      });
    }
  });
}

void run_max_indices(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const auto* x = call.buffer<const float>(0);
  auto* y = call.buffer<float>(1);
  auto* indices = call.buffer<std::int32_t>(2);
  for_planes(call, p.planes, static_cast<std::size_t>(p.h) * p.w, [&](std::size_t plane) HWY_ATTR {
    for (std::size_t oy = 0; oy < p.oh; ++oy) {
      const std::size_t row = (plane * p.oh + oy) * p.ow;
      for_windows(p, oy, 0, [&](std::size_t ox, const Stretch& rows, const Stretch& columns) HWY_ATTR {
        const Best best = best_of(x + plane * p.h * p.w, p, rows, columns);
        y[row + ox] = best.value;
        indices[row + ox] = static_cast<std::int32_t>(best.at);
      });
    }
  });
}

void run_max_grad(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const auto* x = call.buffer<const float>(0);
  const auto* dy = call.buffer<const float>(1);
  auto* dx = call.buffer<float>(2);
  const std::size_t elements = static_cast<std::size_t>(p.h) * p.w;
  for_planes(call, p.planes, elements, [&](std::size_t plane) HWY_ATTR {
    const float* from = x + plane * elements;
    float* to = dx + plane * elements;
    if (!in_pairs(p) || p.h != 2 * p.oh || p.w != 2 * p.ow) std::fill_n(to, elements, 0.0F);  // some belong to no window, or to several
    for (std::size_t oy = 0; oy < p.oh; ++oy) {
      const float* gradient = dy + (plane * p.oh + oy) * p.ow;
      std::size_t done = 0;
      for (std::size_t some = 0; in_pairs(p) && done < p.ow; done += some) {
        some = std::min<std::size_t>(lanes, p.ow - done);
        const std::size_t above = 2 * (oy * p.w + done);
        FloatVector value, place;
        Quads part;
        best_of(load_quads(from + above, from + above + p.w, some), value, place);
        FloatVector d = load_some(gradient + done, some).v;
        if (p.relu) d = above_zero(value, d);
        for (int i = 0; i < 4; ++i) part.of[i] = hn::IfThenElseZero(hn::Eq(place, hn::Set(FloatTag(), static_cast<float>(i))), d);
        store_quads(part, to + above, to + above + p.w, some);
      }
      for_windows(p, oy, done, [&](std::size_t ox, const Stretch& rows, const Stretch& columns) HWY_ATTR {
        const Best best = best_of(from, p, rows, columns);
        if (!p.relu || !(best.value <= 0.0F)) to[best.at] += gradient[ox];
      });
    }
  });
}

void run_unpool(const CpuCall& call) {
  const auto& p = call.params<UnpoolParams>();
  const auto* dy = call.buffer<const float>(0);
  const auto* indices = call.buffer<const std::int32_t>(1);
  auto* dx = call.buffer<float>(2);
  for_planes(call, p.planes, p.inputs, [&](std::size_t plane) HWY_ATTR {
    float* to = dx + plane * p.inputs;
    if (p.begin == 0) std::fill_n(to, p.inputs, 0.0F);
    for (std::size_t i = plane * p.outputs + p.begin; i < plane * p.outputs + p.end; ++i) {
      if (indices[i] >= 0 && static_cast<std::uint32_t>(indices[i]) < p.inputs)
        to[indices[i]] += dy[i];
      else
        complain(call.buffer<Complaint>(3), p.complaint, indices[i], static_cast<std::int32_t>(p.inputs));
    }
  });
}

void run_avg(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const auto* x = call.buffer<const float>(0);
  auto* y = call.buffer<float>(1);
  const float count = static_cast<float>(p.kernel) * static_cast<float>(p.kernel);
  for_planes(call, p.planes, static_cast<std::size_t>(p.h) * p.w, [&](std::size_t plane) HWY_ATTR {
    const float* from = x + plane * p.h * p.w;
    for (std::size_t oy = 0; oy < p.oh; ++oy) {
      float* to = y + (plane * p.oh + oy) * p.ow;
      for_windows(p, oy, 0, [&](std::size_t ox, const Stretch& rows, const Stretch& columns) HWY_ATTR {
        float sum = 0;
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
          float part = 0;  // of a row, so that large windows lose nothing
          for (std::size_t column = columns.begin; column < columns.end; ++column) part += from[row * p.w + column];
          sum += part;
        }
        to[ox] = sum / count;
      });
    }
  });
}

void run_avg_grad(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const auto* dy = call.buffer<const float>(0);
  auto* dx = call.buffer<float>(1);
  const std::size_t elements = static_cast<std::size_t>(p.h) * p.w;
  const float count = static_cast<float>(p.kernel) * static_cast<float>(p.kernel);
  for_planes(call, p.planes, elements, [&](std::size_t plane) HWY_ATTR {
    float* to = dx + plane * elements;
    std::fill_n(to, elements, 0.0F);
    for (std::size_t oy = 0; oy < p.oh; ++oy) {
      const float* gradient = dy + (plane * p.oh + oy) * p.ow;
      for_windows(p, oy, 0, [&](std::size_t ox, const Stretch& rows, const Stretch& columns) HWY_ATTR {
        const float part = gradient[ox] / count;
        for (std::size_t row = rows.begin; row < rows.end; ++row)
          for (std::size_t column = columns.begin; column < columns.end; ++column) to[row * p.w + column] += part;
      });
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void max_pool2d_cpu(const CpuCall& call) {
  if (call.params<PoolParams>().blocks.bindings) return max_pool2d_in_blocks_cpu(call);
  TIDEPOOL_RUN(run_max, call);
}
void max_pool2d_indices_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_max_indices, call); }
void max_pool2d_grad_cpu(const CpuCall& call) {
  if (call.params<PoolParams>().blocks.bindings) return max_pool2d_grad_in_blocks_cpu(call);
  TIDEPOOL_RUN(run_max_grad, call);
}
void max_unpool2d_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_unpool, call); }
void avg_pool2d_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_avg, call); }
void avg_pool2d_grad_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_avg_grad, call); }
}  // namespace tidepool::inline v0
#endif
