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

// A part of the positions of channels [channel, channel + width).
struct ChannelPart {
  std::size_t channel, width, begin, end;
  double count() const { return static_cast<double>(end - begin); }
};

// totals[i] = sum of the source over the part of channel + i. Long sums of sums are made in double precision.
template <class Source>
HWY_INLINE void sum_part(const BatchNormParams& p, const Source& source, const ChannelPart& part, double* totals) {
  std::fill_n(totals, part.width, 0.0);
  if (p.inner == 1) {
    float sums[tile];
    for (std::size_t row = part.begin; row < part.end; row += longest_part) {
      const std::size_t rows = std::min<std::size_t>(longest_part, part.end - row);
      fold_columns<Adding<float>>(source, row * p.channels + part.channel, rows, p.channels, part.width, part.channel, sums);
      for (std::size_t i = 0; i < part.width; ++i) totals[i] += static_cast<double>(sums[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < part.width; ++i)
    for (std::size_t at = part.begin, count = 0; at < part.end; at += count) {
      const std::size_t n = at / p.inner, inner = at % p.inner, channel = part.channel + i;
      count = std::min({tile * 4, p.inner - inner, part.end - at});
      totals[i] += static_cast<double>(fold_stretch<Adding<float>>(source, (n * p.channels + channel) * p.inner + inner, count, channel));
    }
}

// work(part, out) for parts of stretches of channels; out [2, channels] is the part's.
template <class Work>
HWY_INLINE void over_parts(const CpuCall& call, float* out, const Work& work) {
  const auto& p = call.params<BatchNormParams>();
  const std::size_t step = p.inner == 1 ? channels_at_once : 1, stretches = (p.channels + step - 1) / step;
  const std::size_t positions = std::size_t{p.batch} * p.inner,
                    each = std::max<std::size_t>(1, step * std::min<std::size_t>(p.per_part, positions));
  call.team->run(p.parts * stretches, std::max<std::size_t>(1, worth / each), [&](std::size_t first, std::size_t last) HWY_ATTR {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t part = i / stretches, channel = i % stretches * step, begin = part * p.per_part;
      work(ChannelPart{channel, std::min<std::size_t>(step, p.channels - channel), begin, std::min(begin + p.per_part, positions)},
           out + part * 2 * p.channels);
    }
  });
}

void run_batch_parts(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto* x = call.buffer<const float>(0);
  over_parts(call, call.buffer<float>(1), [&](const ChannelPart& part, float* mean) HWY_ATTR {
    double totals[channels_at_once];
    float* squares = mean + p.channels;
    sum_part(p, Plain<float>{x}, part, totals);
    for (std::size_t i = 0; i < part.width; ++i) mean[part.channel + i] = static_cast<float>(totals[i] / part.count());
    sum_part(p, Deviations{x, mean}, part, totals);
    for (std::size_t i = 0; i < part.width; ++i) squares[part.channel + i] = static_cast<float>(totals[i]);
  });
}

// The mean of means; deviations from it are those from a part's own mean, and that mean's.
void run_batch_statistics(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto* parts = call.buffer<const float>(0);
  auto* statistics = call.buffer<float>(1);
  const std::size_t channels = p.channels, positions = std::size_t{p.batch} * p.inner;
  const auto count = static_cast<double>(positions);
  const auto share = [&](std::size_t part) {
    return static_cast<double>(std::min<std::size_t>(p.per_part, positions - part * p.per_part));
  };
  for (std::size_t i = 0; i < channels; ++i) {
    double mean = 0, squares = 0;
    for (std::size_t part = 0; part < p.parts; ++part) mean += share(part) / count * static_cast<double>(parts[2 * part * channels + i]);
    for (std::size_t part = 0; part < p.parts; ++part) {
      const double deviation = static_cast<double>(parts[2 * part * channels + i]) - mean;
      squares += static_cast<double>(parts[(2 * part + 1) * channels + i]) + share(part) * deviation * deviation;
    }
    const auto variance = static_cast<float>(squares / count);
    statistics[i] = static_cast<float>(mean);
    statistics[channels + i] = 1.0F / std::sqrt(variance + p.eps);
    statistics[2 * channels + i] = variance;
  }
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

void run_batch_norm_parts(const CpuCall& call) {
  const auto& p = call.params<BatchNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1), *mean = call.buffer<const float>(2);
  over_parts(call, call.buffer<float>(3), [&](const ChannelPart& part, float* d_gamma) HWY_ATTR {
    double totals[channels_at_once];
    float* d_beta = d_gamma + p.channels;
    sum_part(p, Normalised{x, dy, mean, mean + p.channels}, part, totals);
    for (std::size_t i = 0; i < part.width; ++i) d_gamma[part.channel + i] = static_cast<float>(totals[i]);
    sum_part(p, Plain<float>{dy}, part, totals);
    for (std::size_t i = 0; i < part.width; ++i) d_beta[part.channel + i] = static_cast<float>(totals[i]);
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
  float mean, scale;
  HWY_INLINE RowStatistics(const float* x, std::size_t size, float eps) {
    const auto count = static_cast<float>(size);
    mean = fold_stretch<Adding<float>>(Plain<float>{x}, 0, size, 0) / count;
    scale = 1.0F / std::sqrt(fold_stretch<Adding<float>>(Deviations{x, &mean}, 0, size, 0) / count + eps);
  }
};

template <class Row>
HWY_INLINE void over_rows(const CpuCall& call, const Row& row) {
  const auto& p = call.params<LayerNormParams>();
  call.team->run(p.rows, std::max<std::size_t>(1, worth / 4 / std::max(1U, p.size)), [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) row(i, i * p.size);
  });
}

void run_layer_norm(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *gamma = call.buffer<const float>(1), *beta = call.buffer<const float>(2);
  auto* y = call.buffer<float>(3);
  over_rows(call, [&](std::size_t, std::size_t at) HWY_ATTR {
    const RowStatistics row(x + at, p.size, p.eps);
    const Pack mean(row.mean), scale(row.scale);
    for (std::size_t i = 0; i < p.size; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, p.size - i);
      const Pack normal = (load_some(x + at + i, some) - mean) * scale;
      store_some(normal * load_some(gamma + i, some) + load_some(beta + i, some), y + at + i, some);
    }
  });
}

void run_row_statistics(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto* x = call.buffer<const float>(0);
  auto *mean = call.buffer<float>(1), *scale = mean + p.rows;
  over_rows(call, [&](std::size_t row, std::size_t at) HWY_ATTR {
    const RowStatistics statistics(x + at, p.size, p.eps);
    mean[row] = statistics.mean;
    scale[row] = statistics.scale;
  });
}

void run_layer_norm_grad(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1), *gamma = call.buffer<const float>(2);
  const auto *means = call.buffer<const float>(3), *scales = means + p.rows;
  auto* dx = call.buffer<float>(4);
  const auto ignore = [](std::size_t, std::size_t, Pack) HWY_ATTR {};
  over_rows(call, [&](std::size_t row, std::size_t at) HWY_ATTR {
    const Pack mean(means[row]), scale(scales[row]);
    const auto d = [&](std::size_t i, std::size_t some) HWY_ATTR { return load_some(dy + at + i, some) * load_some(gamma + i, some); };
    const auto normal = [&](std::size_t i, std::size_t some) HWY_ATTR { return (load_some(x + at + i, some) - mean) * scale; };
    const Pack count = static_cast<float>(p.size);
    const Pack mean_d = Pack(sum_packs(p.size, d, ignore)) / count;
    const Pack mean_product = Pack(sum_packs(
                                  p.size, [&](std::size_t i, std::size_t some) HWY_ATTR { return d(i, some) * normal(i, some); }, ignore)) /
                              count;
    for (std::size_t i = 0; i < p.size; i += lanes) {
      const std::size_t some = HWY_MIN(lanes, p.size - i);
      store_some(scale * (d(i, some) - mean_d - normal(i, some) * mean_product), dx + at + i, some);
    }
  });
}

void run_layer_norm_sums(const CpuCall& call) {
  const auto& p = call.params<LayerNormParams>();
  const auto *x = call.buffer<const float>(0), *dy = call.buffer<const float>(1);
  const auto *means = call.buffer<const float>(2), *scales = means + p.rows;
  auto* out = call.buffer<float>(3);
  call.team->run(p.parts, 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t part = begin; part < end; ++part) {
      float *d_gamma = out + part * 2 * p.size, *d_beta = d_gamma + p.size;
      std::fill_n(d_gamma, 2 * std::size_t{p.size}, 0.0F);
      for (std::size_t n = part * p.per_part; n < std::min<std::size_t>((part + 1) * p.per_part, p.rows); ++n) {
        const std::size_t at = n * p.size;
        const Pack mean(means[n]), scale(scales[n]);
        for (std::size_t i = 0; i < p.size; i += lanes) {
          const std::size_t some = HWY_MIN(lanes, p.size - i);
          const Pack d = load_some(dy + at + i, some), normal = (load_some(x + at + i, some) - mean) * scale;
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
void batch_parts(const CpuCall& call) { TIDEPOOL_RUN(run_batch_parts, call); }
void batch_statistics(const CpuCall& call) { TIDEPOOL_RUN(run_batch_statistics, call); }
void running_statistics(const CpuCall& call) { TIDEPOOL_RUN(run_running_statistics, call); }
void update_running(const CpuCall& call) { TIDEPOOL_RUN(run_update_running, call); }
void batch_norm(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm, call); }
void batch_norm_parts(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm_parts, call); }
void batch_norm_grad(const CpuCall& call) { TIDEPOOL_RUN(run_batch_norm_grad, call); }
void layer_norm(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm, call); }
void row_statistics(const CpuCall& call) { TIDEPOOL_RUN(run_row_statistics, call); }
void layer_norm_grad(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm_grad, call); }
void layer_norm_sums(const CpuCall& call) { TIDEPOOL_RUN(run_layer_norm_sums, call); }
}  // namespace tidepool::inline v0::norm_cpu
#endif
