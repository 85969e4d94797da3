// z = a x + y for the backend's own tests; done `rounds` times, z += a x each, so that a launch can be made slow.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint rounds = 1;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Z { float z[]; };
layout(push_constant) uniform Params {
  uint shift[2];
  uint n;
  float a;
};

void main() {
  const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i >= n) return;
  precise float sum = y[i];
  for (uint r = 0; r < rounds; ++r) sum = a * x[i] + sum;
  z[i] = sum;
}
