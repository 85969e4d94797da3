#version 450
// The plainest addition with vectors. What gates compare ours with.
layout(local_size_x = 256) in;
layout(push_constant) uniform P { uint shifts[2]; uint n; } p;
layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) readonly buffer B { vec4 b[]; };
layout(binding = 2) writeonly buffer C { vec4 c[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < p.n / 4) c[i] = a[i] + b[i];
}
