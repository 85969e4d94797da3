// What every shader begins with: the index of its work item, the shift of its bindings, and the words of the .def tables.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : enable

#ifndef GROUP
#define GROUP 64
#endif
layout(local_size_x = GROUP) in;

// One-dimensional extents beyond the device's limit of workgroups are folded into y.
uint workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
uint item() { return workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

// What is left of binding i's offset after alignment, in elements. `shifts` is the first member of the parameters.
#define SHIFT(i) bitfieldExtract(p.shifts[(i) / 4], ((i) % 4) * 8, 8)

#include "ops/math.glsl"

float select(bool condition, float a, float b) { return condition ? a : b; }
float log1p(float x) {
  const float u = 1.0 + x;
  return u == 1.0 ? x : (u > 3.0e38 ? log(u) : log(u) * x / (u - 1.0));
}
// Abramowitz and Stegun 7.1.26, as in simd-inl.h.
float erf(float a) {
  const float x = abs(a), t = 1.0 / (1.0 + 0.3275911 * x);
  const float sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const float y = 1.0 - sum * exp(-(x * x));
  return a < 0.0 ? -y : y;
}
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

// A wrong value is told to the host: the first one of all (Complaint in device/complaints.h).
#define COMPLAINTS(i) layout(binding = i) buffer Complaints { uint complaint_code; int complaint_value, complaint_limit; }
#define COMPLAIN(code, value, limit)                      \
  {                                                       \
    if (atomicCompSwap(complaint_code, 0u, code) == 0u) { \
      complaint_value = value;                            \
      complaint_limit = limit;                            \
    }                                                     \
  }
