#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/classes_cpu.cpp"
#include <hwy/foreach_target.h>

#include "device/complaints.h"
#include "ops/loss/loss.h"
#include "ops/softmax/softmax-inl.h"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

// Whether a label is a class; complains when not.
HWY_INLINE bool is_class(const CpuCall& call, std::size_t complaints, std::int32_t label) {
  const auto& p = call.params<ClassParams>();
  if (label >= 0 && static_cast<std::uint32_t>(label) < p.classes) return true;
  complain(call.buffer<Complaint>(complaints), p.code, label, static_cast<std::int32_t>(p.classes));
  return false;
}

template <class Row>
HWY_INLINE void over_rows(const CpuCall& call, const Row& row) {
  const auto& p = call.params<ClassParams>();
  call.team->run(p.rows, std::max<std::size_t>(1, worth / 4 / p.classes), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) row(i, i * p.classes);
  });
}

void run_cross_entropy(const CpuCall& call) {
  const auto& p = call.params<ClassParams>();
  const auto* x = call.buffer<const float>(0);
  const auto* labels = call.buffer<const std::int32_t>(1);
  auto* losses = call.buffer<float>(2);
  over_rows(call, [&](std::size_t row, std::size_t at) HWY_ATTR {
    if (!is_class(call, 3, labels[row])) {
      losses[row] = 0;
      return;
    }
    const float largest = largest_of(x + at, p.classes);
    losses[row] = std::log(sum_of_exp(x + at, p.classes, largest)) - (x[at + static_cast<std::size_t>(labels[row])] - largest);
  });
}

void run_cross_entropy_grad(const CpuCall& call) {
  const auto& p = call.params<ClassParams>();
  const auto* x = call.buffer<const float>(0);
  const auto* labels = call.buffer<const std::int32_t>(1);
  auto* dx = call.buffer<float>(3);
  const float scale = p.with_d ? p.scale * *call.buffer<const float>(2) : p.scale;
  over_rows(call, [&](std::size_t row, std::size_t at) HWY_ATTR {
    const Pack largest = largest_of(x + at, p.classes);
    const float sum = sum_packs(
        p.classes, [&](std::size_t i, std::size_t some) HWY_ATTR { return exp(load_some(x + at + i, some) - largest); },
        [&](std::size_t i, std::size_t some, Pack e) HWY_ATTR { store_some(e, dx + at + i, some); });
    for (std::size_t i = 0; i < p.classes; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, p.classes - i);
      store_some(load_some(dx + at + i, some) / Pack(sum) * Pack(scale), dx + at + i, some);
    }
    if (is_class(call, 4, labels[row])) dx[at + static_cast<std::size_t>(labels[row])] -= scale;
  });
}

void run_hits(const CpuCall& call) {
  const auto& p = call.params<ClassParams>();
  const auto* x = call.buffer<const float>(0);
  const auto* labels = call.buffer<const std::int32_t>(1);
  auto* hits = call.buffer<float>(2);
  over_rows(call, [&](std::size_t row, std::size_t at) HWY_ATTR {
    hits[row] = is_class(call, 3, labels[row]) && first_largest(x + at, p.classes) == static_cast<std::size_t>(labels[row]) ? 1.0F : 0.0F;
  });
}

void run_more_confusion(const CpuCall& call) {
  const auto& p = call.params<ClassParams>();
  const auto *predictions = call.buffer<const std::int32_t>(0), *labels = call.buffer<const std::int32_t>(1);
  auto* counts = call.buffer<std::int32_t>(2);
  for (std::size_t i = 0; i < p.rows; ++i)
    if (is_class(call, 3, labels[i]) && is_class(call, 3, predictions[i]))
      ++counts[static_cast<std::size_t>(labels[i]) * p.classes + static_cast<std::size_t>(predictions[i])];
}

void run_confusion(const CpuCall& call) {
  const std::size_t classes = call.params<ClassParams>().classes;
  std::fill_n(call.buffer<std::int32_t>(2), classes * classes, 0);
  run_more_confusion(call);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::loss_cpu {
void cross_entropy(const CpuCall& call) { TIDEPOOL_RUN(run_cross_entropy, call); }
void cross_entropy_grad(const CpuCall& call) { TIDEPOOL_RUN(run_cross_entropy_grad, call); }
void hits(const CpuCall& call) { TIDEPOOL_RUN(run_hits, call); }
void confusion(const CpuCall& call) { TIDEPOOL_RUN(run_confusion, call); }
void more_confusion(const CpuCall& call) { TIDEPOOL_RUN(run_more_confusion, call); }
}  // namespace tidepool::inline v0::loss_cpu
#endif
