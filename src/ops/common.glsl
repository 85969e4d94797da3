// What every shader begins with: the index of its work item, the shift of its bindings, and the words of the .def tables.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : enable

layout(local_size_x = 64) in;

// One-dimensional extents beyond the device's limit of workgroups are folded into y.
uint item() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

// What is left of binding i's offset after alignment, in elements. `shifts` is the first member of the parameters.
#define SHIFT(i) bitfieldExtract(p.shifts[(i) / 4], ((i) % 4) * 8, 8)

float select(bool condition, float a, float b) { return condition ? a : b; }
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
