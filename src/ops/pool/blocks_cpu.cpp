// The largest of each window where images lie in blocks of channels: a vector holds one place of several channels, so there is nothing to
// shuffle. An image beside them that lies plainly is read and written a lane at a time.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pool/blocks_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/pool/pool.h"
#include "ops/pool/windows.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

// The planes of one block of channels.
struct Planes {
  float* at;
  std::size_t plane;  // elements
  std::size_t block;  // channels; 0: they lie plainly
  HWY_INLINE FloatVector get(std::size_t place, std::size_t channel) const {
    if (block) return load(at + place * block + channel).v;
    HWY_ALIGN float values[lanes];
    for (std::size_t i = 0; i < lanes; ++i) values[i] = at[(channel + i) * plane + place];
    return hn::Load(FloatTag(), values);
  }
  HWY_INLINE void put(FloatVector value, std::size_t place, std::size_t channel) const {
    if (block) return store(value, at + place * block + channel);
    HWY_ALIGN float values[lanes];
    hn::Store(value, FloatTag(), values);
    for (std::size_t i = 0; i < lanes; ++i) at[(channel + i) * plane + place] = values[i];
  }
};

HWY_INLINE Planes planes_of(const CpuCall& call, std::size_t binding, std::size_t group, std::size_t plane) {
  const auto& p = call.params<PoolParams>();
  return {call.buffer<float>(binding) + group * p.blocks.size * plane, plane, p.blocks.has(binding) ? p.blocks.size : 0};
}

struct Window {
  Stretch rows, columns;
  std::size_t width;
};
// work(place, number) for the elements of a window.
template <class Work>
HWY_INLINE void for_places(const Window& window, Work&& work) {
  float number = 0;
  for (std::size_t row = window.rows.begin; row < window.rows.end; ++row)
    for (std::size_t column = window.columns.begin; column < window.columns.end; ++column, ++number)
      work(row * window.width + column, number);
}

struct Largest {
  FloatVector value, number;  // the first of the largest; of NaNs the last, as PyTorch has it
};
HWY_INLINE Largest largest_of(const Planes& x, const Window& window, std::size_t channel) {
  Largest best{hn::Set(FloatTag(), -HUGE_VALF), hn::Zero(FloatTag())};
  for_places(window, [&](std::size_t place, float number) HWY_ATTR {
    const FloatVector here = x.get(place, channel);
    const auto better = hn::Or(hn::Gt(here, best.value), hn::IsNaN(here));
    best.value = hn::IfThenElse(better, here, best.value);
    best.number = hn::IfThenElse(better, hn::Set(FloatTag(), number), best.number);
  });
  return best;
}
// As relu has it: NaN is not at or below zero.
HWY_INLINE FloatVector unless_below(FloatVector value, FloatVector then) {
  return hn::IfThenZeroElse(hn::Le(value, hn::Zero(FloatTag())), then);
}

// work(group) for every block of channels of every image.
template <class Work>
HWY_INLINE void for_groups(const CpuCall& call, Work&& work) {
  const auto& p = call.params<PoolParams>();
  const std::size_t block = p.blocks.size, elements = std::size_t{p.h} * p.w * block;
  call.team->run(p.planes / block, 32768 / std::max<std::size_t>(1, elements) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t group = begin; group < end; ++group) work(group);
  });
}

void run_max(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  for_groups(call, [&](std::size_t group) HWY_ATTR {
    const Planes x = planes_of(call, 0, group, std::size_t{p.h} * p.w), y = planes_of(call, 1, group, std::size_t{p.oh} * p.ow);
    for (std::size_t place = 0; place < y.plane; ++place) {
      const Window window{seen(place / p.ow, p.h, p), seen(place % p.ow, p.w, p), p.w};
      for (std::size_t channel = 0; channel < p.blocks.size; channel += lanes) {
        const FloatVector value = largest_of(x, window, channel).value;
        y.put(p.relu ? unless_below(value, value) : value, place, channel);
      }
    }
  });
}

void run_max_grad(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const bool alone = each_in_one(p);
  for_groups(call, [&](std::size_t group) HWY_ATTR {
    const std::size_t plane = std::size_t{p.h} * p.w;
    const Planes x = planes_of(call, 0, group, plane), dy = planes_of(call, 1, group, std::size_t{p.oh} * p.ow),
                 dx = planes_of(call, 2, group, plane);
    if (!alone) std::fill_n(dx.at, plane * p.blocks.size, 0.0F);
    for (std::size_t at = 0; at < dy.plane; ++at) {
      const Window window{seen(at / p.ow, p.h, p), seen(at % p.ow, p.w, p), p.w};
      for (std::size_t channel = 0; channel < p.blocks.size; channel += lanes) {
        const Largest best = largest_of(x, window, channel);
        const FloatVector d = p.relu ? unless_below(best.value, dy.get(at, channel)) : dy.get(at, channel);
        for_places(window, [&](std::size_t place, float number) HWY_ATTR {
          const FloatVector part = hn::IfThenElseZero(hn::Eq(best.number, hn::Set(FloatTag(), number)), d);
          dx.put(alone ? part : hn::Add(dx.get(place, channel), part), place, channel);
        });
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
void max_pool2d_in_blocks_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_max, call); }
void max_pool2d_grad_in_blocks_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_max_grad, call); }
}  // namespace tidepool::inline v0
#endif
