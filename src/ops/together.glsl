// Lines that a work item goes over by itself or, where they are long, a whole workgroup together. LineKernels in reduce.h.
#include "ops/over_lanes.glsl"
layout(constant_id = 0) const bool together = false;

uint my_line() { return together ? workgroup() : item(); }
uint my_first() { return together ? LANE : 0; }
uint my_step() { return together ? lane_count : 1; }
bool i_write() { return !together || LANE == 0; }  // what there is one of

float sum_of_line(float mine) { return together ? over_lanes(mine) : mine; }
float largest_of_line(float mine) { return together ? largest_over_lanes(mine) : mine; }
