#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channels.glsl"

layout(binding = 0) readonly buffer Mean { float means[]; };
layout(binding = 1) readonly buffer Variance { float variances[]; };
layout(binding = 2) writeonly buffer Statistics { float statistics[]; };

void main() {
  const uint i = item();
  if (i >= p.channels) return;
  const float variance = variances[i + SHIFT(1)];
  statistics[i + SHIFT(2)] = means[i + SHIFT(0)];
  statistics[i + p.channels + SHIFT(2)] = 1.0 / sqrt(variance + p.eps);
  statistics[i + 2 * p.channels + SHIFT(2)] = variance;
}
