// Rows of [rows, size], of which each is one workgroup's. LayerNormParams in norm.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint rows, size, parts, per_part;
  float eps;
} p;

shared float lane_sums[gl_WorkGroupSize.x];

const uint lane_count = gl_WorkGroupSize.x;
#define LANE gl_LocalInvocationID.x

// The sum over all lanes, which all take part and all get it.
float over_lanes(float mine) {
  barrier();
  lane_sums[LANE] = mine;
  barrier();
  for (uint half_way = lane_count / 2; half_way > 0; half_way /= 2) {
    if (LANE < half_way) lane_sums[LANE] += lane_sums[LANE + half_way];
    barrier();
  }
  return lane_sums[0];
}
