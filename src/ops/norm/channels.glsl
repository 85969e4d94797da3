// x is [batch, channels, inner]. A channel has batch * inner positions, which are cut into parts; a workgroup sums one part
// of `width` neighbouring channels, its other lanes share the part's positions. BatchNormParams in norm.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint batch, channels, inner;
  float eps, momentum;
  uint training, parts, per_part, width;
} p;

uint channel_of(uint i) { return i / p.inner % p.channels; }
