// ConvParams in conv.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint n, c, h, w, o, oh, ow, kh, kw, stride, padding, dilation, groups, activation;
  uint with_bias, parts, per_part;
} p;
