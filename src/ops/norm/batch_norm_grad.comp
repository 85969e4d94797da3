#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channels.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) readonly buffer Gamma { float gamma[]; };
layout(binding = 3) readonly buffer Statistics { float statistics[]; };
layout(binding = 4) readonly buffer Sums { float sums[]; };
layout(binding = 5) writeonly buffer Out { float dx[]; };

void main() {
  const uint i = item();
  if (i >= p.batch * p.channels * p.inner) return;
  const uint c = channel_of(i);
  const float mean = statistics[c + SHIFT(3)], scale = statistics[c + p.channels + SHIFT(3)];
  float d = dy[i + SHIFT(1)];
  if (p.training != 0) {
    const float normal = (x[i + SHIFT(0)] - mean) * scale;
    d -= 1.0 / float(p.batch * p.inner) * (sums[c + p.channels + SHIFT(4)] + normal * sums[c + SHIFT(4)]);
  }
  dx[i + SHIFT(5)] = gamma[c + SHIFT(2)] * scale * d;
}
