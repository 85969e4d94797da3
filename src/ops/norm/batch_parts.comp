#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/norm/channel_parts.glsl"

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

float mean = 0.0;

float term(uint at, uint channel, uint which) {
  const float deviation = x[at + SHIFT(0)] - mean;
  return which == 0 ? deviation : deviation * deviation;
}

// The mean of each part, and the sum of the squares of what differs from it.
void main() {
  if (!has_part()) return;
  mean = part_sum(0) / float(end - begin);
  const float squares = part_sum(1);
  if (!writes()) return;
  y[place(0) + SHIFT(1)] = mean;
  y[place(1) + SHIFT(1)] = squares;
}
