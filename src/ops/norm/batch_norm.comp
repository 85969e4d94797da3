#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channels.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Gamma { float gamma[]; };
layout(binding = 2) readonly buffer Beta { float beta[]; };
layout(binding = 3) readonly buffer Statistics { float statistics[]; };
layout(binding = 4) writeonly buffer Out { float y[]; };

void main() {
  const uint i = item();
  if (i >= p.batch * p.channels * p.inner) return;
  const uint c = channel_of(i);
  const float mean = statistics[c + SHIFT(3)], scale = statistics[c + p.channels + SHIFT(3)];
  y[i + SHIFT(4)] = (x[i + SHIFT(0)] - mean) * (scale * gamma[c + SHIFT(1)]) + beta[c + SHIFT(2)];
}
