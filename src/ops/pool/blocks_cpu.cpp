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

// The planes of one block of channels, which lie in a block or plainly. As types, so that loops are compiled for each.
struct InBlock {
  float* at;
  std::size_t block;  // channels
  HWY_INLINE FloatVector get(std::size_t place, std::size_t channel) const { return load(at + place * block + channel).v; }
  HWY_INLINE void put(FloatVector value, std::size_t place, std::size_t channel) const { store(value, at + place * block + channel); }
};
struct Plainly {
  float* at;
  std::size_t plane;  // elements
  HWY_INLINE FloatVector get(std::size_t place, std::size_t channel) const {
    HWY_ALIGN float values[lanes];
    for (std::size_t i = 0; i < lanes; ++i) values[i] = at[(channel + i) * plane + place];
    return hn::Load(FloatTag(), values);
  }
  HWY_INLINE void put(FloatVector value, std::size_t place, std::size_t channel) const {
    HWY_ALIGN float values[lanes];
    hn::Store(value, FloatTag(), values);
    for (std::size_t i = 0; i < lanes; ++i) at[(channel + i) * plane + place] = values[i];
  }
};
template <class Work>
HWY_INLINE void with_planes(const CpuCall& call, std::size_t binding, std::size_t group, std::size_t plane, Work&& work) {
  const ChannelBlocks& blocks = call.params<PoolParams>().blocks;
  float* const at = call.buffer<float>(binding) + group * blocks.size * plane;
  if (blocks.has(binding))
    work(InBlock{at, blocks.size});
  else
    work(Plainly{at, plane});
}

// The places of a window: two by two, or any.
struct Pairs {
  std::size_t first, width;
  template <class Work>
  HWY_INLINE void for_places(Work&& work) const {
    work(first, 0.0F);
    work(first + 1, 1.0F);
    work(first + width, 2.0F);
    work(first + width + 1, 3.0F);
  }
};
struct Window {
  Stretch rows, columns;
  std::size_t width;
  template <class Work>
  HWY_INLINE void for_places(Work&& work) const {
    float number = 0;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
      for (std::size_t column = columns.begin; column < columns.end; ++column, ++number) work(row * width + column, number);
  }
};
// work(place of y, window) for each of them.
template <class Work>
HWY_INLINE void for_windows(const PoolParams& p, Work&& work) {
  const bool pairs = p.kernel == 2 && p.stride == 2 && p.padding == 0;
  for (std::size_t y = 0; y < p.oh; ++y) {
    for (std::size_t x = 0; pairs && x < p.ow; ++x) work(y * p.ow + x, Pairs{2 * y * p.w + 2 * x, p.w});
    for (std::size_t x = 0; !pairs && x < p.ow; ++x) work(y * p.ow + x, Window{seen(y, p.h, p), seen(x, p.w, p), p.w});
  }
}

struct Largest {
  FloatVector value, number;  // the first of the largest; of NaNs the last, as PyTorch has it
};
template <class X, class Places>
HWY_INLINE Largest largest_of(const X& x, const Places& window, std::size_t channel) {
  Largest best{hn::Set(FloatTag(), -HUGE_VALF), hn::Zero(FloatTag())};
  window.for_places([&](std::size_t place, float number) HWY_ATTR {
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
  call.team->run(p.planes / block, 8192 / std::max<std::size_t>(1, elements) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t group = begin; group < end; ++group) work(group);
  });
}

template <class X, class Y>
HWY_INLINE void max_of_group(const PoolParams& p, const X& x, const Y& y) {
  for_windows(p, [&](std::size_t at, const auto& window) HWY_ATTR {
    for (std::size_t channel = 0; channel < p.blocks.size; channel += lanes) {
      const FloatVector value = largest_of(x, window, channel).value;
      y.put(p.relu ? unless_below(value, value) : value, at, channel);
    }
  });
}

template <class X, class Dy, class Dx>
HWY_INLINE void grad_of_group(const PoolParams& p, const X& x, const Dy& dy, const Dx& dx) {
  const bool alone = each_in_one(p);
  if (!alone) std::fill_n(dx.at, std::size_t{p.h} * p.w * p.blocks.size, 0.0F);
  for_windows(p, [&](std::size_t at, const auto& window) HWY_ATTR {
    for (std::size_t channel = 0; channel < p.blocks.size; channel += lanes) {
      const Largest best = largest_of(x, window, channel);
      const FloatVector d = p.relu ? unless_below(best.value, dy.get(at, channel)) : dy.get(at, channel);
      window.for_places([&](std::size_t place, float number) HWY_ATTR {
        const FloatVector part = hn::IfThenElseZero(hn::Eq(best.number, hn::Set(FloatTag(), number)), d);
        dx.put(alone ? part : hn::Add(dx.get(place, channel), part), place, channel);
      });
    }
  });
}

void run_max(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const std::size_t plane = std::size_t{p.h} * p.w, pooled = std::size_t{p.oh} * p.ow;
  for_groups(call, [&](std::size_t group) HWY_ATTR {
    with_planes(call, 0, group, plane, [&](const auto& x) HWY_ATTR {
      with_planes(call, 1, group, pooled, [&](const auto& y) HWY_ATTR { max_of_group(p, x, y); });
    });
  });
}

void run_max_grad(const CpuCall& call) {
  const auto& p = call.params<PoolParams>();
  const std::size_t plane = std::size_t{p.h} * p.w, pooled = std::size_t{p.oh} * p.ow;
  for_groups(call, [&](std::size_t group) HWY_ATTR {
    with_planes(call, 0, group, plane, [&](const auto& x) HWY_ATTR {
      with_planes(call, 1, group, pooled, [&](const auto& dy) HWY_ATTR {
        with_planes(call, 2, group, plane, [&](const auto& dx) HWY_ATTR { grad_of_group(p, x, dy, dx); });
      });
    });
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
