#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/norm/norm_cpu.cpp"
#include <hwy/foreach_target.h>

#include "ops/norm/norm.h"
#include "ops/softmax/softmax-inl.h"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t channels_at_once = 64;

// dy times the normalised x; `line` and `column` are the channel.
struct Normalised {
  const float *x, *dy, *mean, *scale;
  HWY_INLINE FloatVector along(std::size_t i, std::size_t line) const {
    return (load(dy + i) * ((load(x + i) - Pack(mean[line])) * Pack(scale[line]))).v;
  }
  HWY_INLINE FloatVector across(std::size_t i, std::size_t column) const {
    return (load(dy + i) * ((load(x + i) - load(mean + column)) * load(scale + column))).v;
  }
  HWY_INLINE float one(std::size_t i, std::size_t column) const { return dy[i] * ((x[i] - mean[column]) * scale[column]); }
  static constexpr bool groups = false;
};

// totals[i] = sum of the source over channel first + i. Long sums of sums are made in double precision.
template <class Source>
HWY_INLINE void sum_channels(const BatchNormParams& p, const Source& source, std::size_t first, std::size_t width, double* totals) {
  std::fill_n(totals, width, 0.0);
  if (p.inner == 1) {
    float sums[tile];
    for (std::size_t row = 0; row < p.batch; row += longest_part) {
      const std::size_t rows = std::min<std::size_t>(longest_part, p.batch - row);
      fold_columns<Adding<float>>(source, row * p.channels + first, rows, p.channels, width, first, sums);
      for (std::size_t i = 0; i < width; ++i) totals[i] += static_cast<double>(sums[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t n = 0; n < p.batch; ++n) {
      const std::size_t at = (n * p.channels + first + i) * p.inner;
      for (std::size_t begin = 0; begin < p.inner; begin += tile * 4)
        totals[i] += static_cast<double>(
            fold_stretch<Adding<float>>(source, at + begin, std::min<std::size_t>(tile * 4, p.inner - begin), first + i));
    }
}

// work(first, width) for stretches of channels.
template <class Work>
HWY_INLINE void over_channels(const CpuCall& call, const Work& work) {
  const auto& p = call.params<BatchNormParams>();
  const std::size_t step = p.inner == 1 ? channels_at_once : 1, count = (p.channels + step - 1) / step;
  const std::size_t each = std::max<std::size_t>(1, std::size_t{p.batch} * p.inner * step);
  call.team->run(count, std::max<std::size_t>(1, worth / each), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) work(i * step, std::min<std::size_t>(step, p.channels - i * step));
  });
}

void run_batch_statistics(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto* x = call.buffer<const float>(0);
  auto *mean = call.buffer<float>(1), *scale = mean + p.channels, *variance = scale + p.channels;
  const double count = static_cast<double>(p.batch) * p.inner;
  over_channels(call, [&](std::size_t first, std::size_t width) HWY_ATTR {
    double totals[channels_at_once];
    sum_channels(p, Plain<float>{x}, first, width, totals);
    for (std::size_t i = 0; i < width; ++i) mean[first + i] = static_cast<float>(totals[i] / count);
    sum_channels(p, Deviations{x, mean}, first, width, totals);
    for (std::size_t i = 0; i < width; ++i) {
      variance[first + i] = static_cast<float>(totals[i] / count);
      scale[first + i] = 1.0F / std::sqrt(variance[first + i] + p.eps);
    }
  });
}

void run_running_statistics(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto *mean = call.buffer<const float>(0), *variance = call.buffer<const float>(1);
  auto* out = call.buffer<float>(2);
  for (std::size_t i = 0; i < p.channels; ++i) {
    out[i] = mean[i];
    out[p.channels + i] = 1.0F / std::sqrt(variance[i] + p.eps);
    out[2 * p.channels + i] = variance[i];
  }
}

void run_update_running(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  auto *mean = call.buffer<float>(0), *variance = call.buffer<float>(1);
  const auto* statistics = call.buffer<const float>(2);
  const double count = static_cast<double>(p.batch) * p.inner;
  const auto unbiased = static_cast<float>(count / (count - 1));
  for (std::size_t i = 0; i < p.channels; ++i) {
    mean[i] = (1.0F - p.momentum) * mean[i] + p.momentum * statistics[i];
    variance[i] = (1.0F - p.momentum) * variance[i] + p.momentum * (statistics[2 * p.channels + i] * unbiased);
  }
}

// f(at, count, channel, moves) for stretches of x: of one channel, or (moves) of neighbouring channels.
template <class F>
HWY_INLINE void over_stretches(const CpuCall& call, const F& f) {
  const auto& p = call.params<BatchNormParams>();
  const bool moves = p.inner == 1;
  const std::size_t length = moves ? p.channels : p.inner, rows = moves ? p.batch : std::size_t{p.batch} * p.channels;
  call.team->run(rows, std::max<std::size_t>(1, worth / length), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) f(row * length, length, moves ? 0 : row % p.channels, moves);
  });
}

HWY_INLINE Pack channel_value(const float* values, std::size_t channel, std::size_t i, std::size_t some, bool moves) {
  return moves ? load_some(values + i, some) : Pack(values[channel]);
}

void run_batch_norm(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto *x = call.buffer<const float>(0), *gamma = call.buffer<const float>(1), *beta = call.buffer<const float>(2);
  const auto *mean = call.buffer<const float>(3), *scale = mean + p.channels;
  auto* y = call.buffer<float>(4);
  over_stretches(call, [&](std::size_t at, std::size_t count, std::size_t channel, bool moves) HWY_ATTR {
    for (std::size_t i = 0; i < count; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, count - i);
      const auto of = [&](const float* values) HWY_ATTR { return channel_value(values, channel, i, some, moves); };
      store_some((load_some(x + at + i, some) - of(mean)) * (of(scale) * of(gamma)) + of(beta), y + at + i, some);
    }
  });
}

void run_batch_norm_sums(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1), *mean = call.buffer<const float>(2);
  auto *d_gamma = call.buffer<float>(3), *d_beta = d_gamma + p.channels;
  over_channels(call, [&](std::size_t first, std::size_t width) HWY_ATTR {
    double totals[channels_at_once];
    sum_channels(p, Normalised{x, dy, mean, mean + p.channels}, first, width, totals);
    for (std::size_t i = 0; i < width; ++i) d_gamma[first + i] = static_cast<float>(totals[i]);
    sum_channels(p, Plain<float>{dy}, first, width, totals);
    for (std::size_t i = 0; i < width; ++i) d_beta[first + i] = static_cast<float>(totals[i]);
  });
}

void run_batch_norm_grad(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1), *gamma = call.buffer<const float>(2);
  const auto *mean = call.buffer<const float>(3), *scale = mean + p.channels;
  const auto *d_gamma = call.buffer<const float>(4), *d_beta = d_gamma + p.channels;
  auto* dx = call.buffer<float>(5);
  const Pack share = static_cast<float>(1.0 / (static_cast<double>(p.batch) * p.inner));
  over_stretches(call, [&](std::size_t at, std::size_t count, std::size_t channel, bool moves) HWY_ATTR {
    for (std::size_t i = 0; i < count; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, count - i);
      const auto of = [&](const float* values) HWY_ATTR { return channel_value(values, channel, i, some, moves); };
      Pack d = load_some(dy + at + i, some);
      if (p.training) d = d - share * (of(d_beta) + (load_some(x + at + i, some) - of(mean)) * of(scale) * of(d_gamma));
      store_some(of(gamma) * of(scale) * d, dx + at + i, some);
    }
  });
}

struct RowStatistics {
  Pack mean, scale;
  HWY_INLINE RowStatistics(const float* x, std::size_t size, float eps) : mean(0.0F), scale(0.0F) {
    const auto count = static_cast<float>(size);
    const float average = fold_stretch<Adding<float>>(Plain<float>{x}, 0, size, 0) / count;
    const float variance = fold_stretch<Adding<float>>(Deviations{x, &average}, 0, size, 0) / count;
    mean = Pack(average);
    scale = Pack(1.0F / std::sqrt(variance + eps));
  }
};

template <class Row>
HWY_INLINE void over_rows(const CpuCall& call, const Row& row) {
  const auto& p = call.params<LayerNormParams>();
  call.team->run(p.rows, std::max<std::size_t>(1, worth / 4 / p.size), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) row(i * p.size);
  });
}

void run_layer_norm(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *gamma = call.buffer<const float>(1), *beta = call.buffer<const float>(2);
  auto* y = call.buffer<float>(3);
  over_rows(call, [&](std::size_t at) HWY_ATTR {
    const RowStatistics row(x + at, p.size, p.eps);
    for (std::size_t i = 0; i < p.size; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, p.size - i);
      const Pack normal = (load_some(x + at + i, some) - row.mean) * row.scale;
      store_some(normal * load_some(gamma + i, some) + load_some(beta + i, some), y + at + i, some);
    }
  });
}

void run_layer_norm_grad(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1), *gamma = call.buffer<const float>(2);
  auto* dx = call.buffer<float>(3);
  const auto ignore = [](std::size_t, std::size_t, Pack) HWY_ATTR {};
  over_rows(call, [&](std::size_t at) HWY_ATTR {
    const RowStatistics row(x + at, p.size, p.eps);
    const auto d = [&](std::size_t i, std::size_t some) HWY_ATTR { return load_some(dy + at + i, some) * load_some(gamma + i, some); };
    const auto normal = [&](std::size_t i, std::size_t some) HWY_ATTR { return (load_some(x + at + i, some) - row.mean) * row.scale; };
    const Pack count = static_cast<float>(p.size);
    const Pack mean_d = Pack(sum_packs(p.size, d, ignore)) / count;
    const Pack mean_product = Pack(sum_packs(
                                  p.size, [&](std::size_t i, std::size_t some) HWY_ATTR { return d(i, some) * normal(i, some); }, ignore)) /
                              count;
    for (std::size_t i = 0; i < p.size; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, p.size - i);
      store_some(row.scale * (d(i, some) - mean_d - normal(i, some) * mean_product), dx + at + i, some);
    }
  });
}

void run_layer_norm_sums(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1);
  auto* out = call.buffer<float>(2);
  call.team->run(p.parts, 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t part = begin; part < end; ++part) {
      float *d_gamma = out + part * 2 * p.size, *d_beta = d_gamma + p.size;
      std::fill_n(d_gamma, 2 * std::size_t{p.size}, 0.0F);
      for (std::size_t n = part * p.per_part; n < std::min<std::size_t>((part + 1) * p.per_part, p.rows); ++n) {
        const std::size_t at = n * p.size;
        const RowStatistics row(x + at, p.size, p.eps);
        for (std::size_t i = 0; i < p.size; i += lanes) {
          const std::size_t some = HWY_MIN(lanes, p.size - i);
          const Pack d = load_some(dy + at + i, some), normal = (load_some(x + at + i, some) - row.mean) * row.scale;
          store_some(load_some(d_gamma + i, some) + d * normal, d_gamma + i, some);
          store_some(load_some(d_beta + i, some) + d, d_beta + i, some);
        }
      }
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::norm_cpu {
void batch_statistics(const CpuCall& call) { TIDEPOOL_RUN(run_batch_statistics, call); }
void running_statistics(const CpuCall& call) { TIDEPOOL_RUN(run_running_statistics, call); }
void update_running(const CpuCall& call) { TIDEPOOL_RUN(run_update_running, call); }
void batch_norm(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm, call); }
void batch_norm_sums(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm_sums, call); }
void batch_norm_grad(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm_grad, call); }
void layer_norm(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm, call); }
void layer_norm_grad(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm_grad, call); }
void layer_norm_sums(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm_sums, call); }
}  // namespace tidepool::inline v0::norm_cpu
#endif
