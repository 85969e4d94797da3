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

// Whether the four elements from i on, a multiple of four, are a vector in each of the first four bindings: shaders whose work items have four
// elements each load and store them so.
#define IN_FOURS(i) ((i) + 4 <= p.count && (p.shifts[0] & 0x03030303u) == 0)

#include "ops/words.glsl"

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
