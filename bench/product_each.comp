#version 450
// The plainest product: one result for each work item. What gates compare ours with.
layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform P { uint shifts[2]; uint n; } p;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };

void main() {
  const uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint k = 0; k < p.n; ++k) sum = fma(a[row * p.n + k], b[k * p.n + column], sum);
  c[row * p.n + column] = sum;
}
