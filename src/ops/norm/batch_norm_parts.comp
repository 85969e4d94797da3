#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channel_parts.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Dy { float dy[]; };
layout(binding = 2) readonly buffer Statistics { float statistics[]; };
layout(binding = 3) writeonly buffer Out { float y[]; };

float term(uint at, uint channel, uint which) {
  const float d = dy[at + SHIFT(1)];
  if (which == 1) return d;
  return d * ((x[at + SHIFT(0)] - statistics[channel + SHIFT(2)]) * statistics[channel + p.channels + SHIFT(2)]);
}

// The gradients of gamma and beta from each part.
void main() {
  if (!has_part()) return;
  const float d_gamma = part_sum(0), d_beta = part_sum(1);
  if (!writes()) return;
  y[place(0) + SHIFT(3)] = d_gamma;
  y[place(1) + SHIFT(3)] = d_beta;
}
