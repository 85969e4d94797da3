// What all work items of a workgroup have together; all take part, and all get it.
#define LANE gl_LocalInvocationID.x
const uint lane_count = gl_WorkGroupSize.x;
shared float lane_values[gl_WorkGroupSize.x];

#define OVER_LANES(combined)                                                   \
  barrier();                                                                   \
  lane_values[LANE] = mine;                                                    \
  barrier();                                                                   \
  for (uint half_way = lane_count / 2; half_way > 0; half_way /= 2) {          \
    if (LANE < half_way) {                                                     \
      const float other = lane_values[LANE + half_way];                        \
      lane_values[LANE] = combined(lane_values[LANE], other);                  \
    }                                                                          \
    barrier();                                                                 \
  }                                                                            \
  return lane_values[0];
#define ADDED(a, b) (a) + (b)

float over_lanes(float mine) { OVER_LANES(ADDED) }
float largest_over_lanes(float mine) { OVER_LANES(max) }
