#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

layout(push_constant) uniform P { uint shifts[2]; uint count, kind, threshold; float scale; uint first, ahead; } p;
layout(binding = 0) readonly buffer State { uint seed[2]; uint call[2]; float normal_table[1024]; };
layout(binding = 1) writeonly buffer Out { float y[]; };

uvec4 philox(uvec4 x, uvec2 key) {
  for (int round = 0; round < 10; ++round) {
    uint a_high, a_low, b_high, b_low;
    umulExtended(0xD2511F53u, x.x, a_high, a_low);
    umulExtended(0xCD9E8D57u, x.z, b_high, b_low);
    x = uvec4(b_high ^ x.y ^ key.x, b_low, a_high ^ x.w ^ key.y, a_low);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return x;
}

// As in random_cpu.cpp: exact operations only, never contracted, so that the bits are the same.
float normal(uint r) {
  const uint w = r << 1 | 1u;
  const int octave = findMSB(w);
  const uint bits = w << (31 - octave);
  const uint at = (uint(octave) * 8u + (bits >> 28 & 7u)) * 4u;
  const float t = float((bits & 0x0fffffffu) >> 4) * (1.0 / 16777216.0);
  precise float z = t * normal_table[at + 3];
  z = normal_table[at + 2] + z;
  z = t * z;
  z = normal_table[at + 1] + z;
  z = t * z;
  z = normal_table[at] + z;
  return r >> 31 != 0 ? -z : z;
}

float number(uint r) {
  if (p.kind == 0) return float(r >> 8) * (1.0 / 16777216.0);
  if (p.kind == 1) return normal(r);
  return r < p.threshold ? 0.0 : p.scale;
}

void main() {
  const uint i = item();
  const uint skipped = p.first % 4, count = skipped + p.count;
  if (i >= (count + 3) / 4) return;
  const uint low = call[0] + p.ahead, high = call[1] + (low < call[0] ? 1u : 0u);
  const uvec4 numbers = philox(uvec4(p.first / 4 + i, 0u, low, high), uvec2(seed[0], seed[1]));
  for (uint j = i == 0 ? skipped : 0u; j < 4 && 4 * i + j < count; ++j) y[4 * i + j - skipped + SHIFT(1)] = number(numbers[j]);
}
