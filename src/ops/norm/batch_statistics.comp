#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channels.glsl"

layout(binding = 0) readonly buffer Parts { float parts[]; };
layout(binding = 1) writeonly buffer Statistics { float statistics[]; };

float share(uint part) {
  const uint begin = part * p.per_part, all = p.batch * p.inner;
  return float(min(begin + p.per_part, all) - begin);
}

// The mean of means; deviations from it are those from a part's own mean, and that mean's.
void main() {
  const uint channel = item();
  if (channel >= p.channels) return;
  const float all = float(p.batch * p.inner);
  float mean = 0.0, squares = 0.0;
  for (uint part = 0; part < p.parts; ++part) mean += parts[2 * part * p.channels + channel + SHIFT(0)] * (share(part) / all);
  for (uint part = 0; part < p.parts; ++part) {
    const uint at = 2 * part * p.channels + channel + SHIFT(0);
    const float deviation = parts[at] - mean;
    squares += parts[at + p.channels] + share(part) * deviation * deviation;
  }
  const float variance = squares / all;
  const uint to = channel + SHIFT(1);
  statistics[to] = mean;
  statistics[to + p.channels] = 1.0 / sqrt(variance + p.eps);
  statistics[to + 2 * p.channels] = variance;
}
