#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_control_flow_attributes : enable
// The fastest of the shapes that were tried first on llvmpipe, for squares whose side is a multiple of 16 and nothing else: eight lanes with
// 16 rows and two columns each. What gates compare ours with.
layout(local_size_x = 8) in;
layout(push_constant) uniform P { uint shifts[2]; uint n; } p;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };

void main() {
  const uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.y * 16, column = gl_WorkGroupID.x * 16 + lane;
  vec2 sums[16];
  [[unroll]] for (uint i = 0; i < 16; ++i) sums[i] = vec2(0.0);
  for (uint from = 0; from < p.n; from += 8) {
    float values[16];
    [[unroll]] for (uint i = 0; i < 16; ++i) values[i] = a[(row + i) * p.n + from + lane];
    [[unroll]] for (uint k = 0; k < 8; ++k) {
      const uint at = (from + k) * p.n + column;
      const vec2 both = vec2(b[at], b[at + 8]);
      [[unroll]] for (uint i = 0; i < 16; ++i) sums[i] = fma(vec2(subgroupBroadcast(values[i], k)), both, sums[i]);
    }
  }
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    c[(row + i) * p.n + column] = sums[i].x;
    c[(row + i) * p.n + column + 8] = sums[i].y;
  }
}
