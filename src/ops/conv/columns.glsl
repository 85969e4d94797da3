// ConvParams in conv.h, of which columns need no more.
layout(push_constant) uniform P {
  uint shifts[2];
  uint n, c, h, w, o, oh, ow, kh, kw, stride, padding, dilation;
} p;
