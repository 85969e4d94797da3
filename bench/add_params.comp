#version 450
// An addition whose four parameters come as push constants, in one buffer of their own, or in a buffer each.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { float z[]; };
#if BUFFERS == 0
layout(push_constant) uniform P { uint count; uint first; float a; float b; };
#elif BUFFERS == 1
layout(binding = 3) readonly buffer P { uint count; uint first; float a; float b; };
#else
layout(binding = 3) readonly buffer P0 { uint count; };
layout(binding = 4) readonly buffer P1 { uint first; };
layout(binding = 5) readonly buffer P2 { float a; };
layout(binding = 6) readonly buffer P3 { float b; };
#endif

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) z[first + i] = a * x[first + i] + b * y[first + i];
}
