// The sums of a part: the file that includes this says what is summed.
#include "ops/norm/channels.glsl"

shared float lane_sums[gl_WorkGroupSize.x];

float term(uint at, uint channel, uint which);  // of element `at`

// This lane's share.
uint part, channel, begin, end, depth, first;

bool has_part() {
  const uint group = workgroup(), stretches = (p.channels + p.width - 1) / p.width;
  part = group / stretches;
  channel = group % stretches * p.width + gl_LocalInvocationID.x % p.width;
  begin = part * p.per_part;
  end = min(begin + p.per_part, p.batch * p.inner);
  depth = gl_WorkGroupSize.x / p.width;
  first = gl_LocalInvocationID.x / p.width;
  return part < p.parts;
}
bool writes() { return first == 0 && channel < p.channels; }
uint place(uint row) { return (part * 2 + row) * p.channels + channel; }  // in [parts, 2, channels]

// The sum over the part, the same for all lanes of a channel. All lanes of the workgroup take part.
float part_sum(uint which) {
  float sum = 0.0;
  uint n = (begin + first) / p.inner, inner = (begin + first) % p.inner;
  if (channel < p.channels)
    for (uint position = begin + first; position < end; position += depth) {
      sum += term((n * p.channels + channel) * p.inner + inner, channel, which);
      inner += depth;
      if (inner >= p.inner) {
        n += inner / p.inner;
        inner %= p.inner;
      }
    }
  barrier();
  lane_sums[gl_LocalInvocationID.x] = sum;
  barrier();
  for (uint half_way = depth / 2; half_way > 0; half_way /= 2) {
    if (first < half_way) lane_sums[gl_LocalInvocationID.x] += lane_sums[gl_LocalInvocationID.x + half_way * p.width];
    barrier();
  }
  return lane_sums[gl_LocalInvocationID.x % p.width];
}
