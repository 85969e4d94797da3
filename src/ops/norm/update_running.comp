#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channels.glsl"

layout(binding = 0) buffer Mean { float means[]; };
layout(binding = 1) buffer Variance { float variances[]; };
layout(binding = 2) readonly buffer Statistics { float statistics[]; };

void main() {
  const uint i = item();
  if (i >= p.channels) return;
  const float count = float(p.batch * p.inner), unbiased = count / (count - 1.0);
  const float mean = statistics[i + SHIFT(2)], variance = statistics[i + 2 * p.channels + SHIFT(2)] * unbiased;
  means[i + SHIFT(0)] = (1.0 - p.momentum) * means[i + SHIFT(0)] + p.momentum * mean;
  variances[i + SHIFT(1)] = (1.0 - p.momentum) * variances[i + SHIFT(1)] + p.momentum * variance;
}
