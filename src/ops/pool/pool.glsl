// Windows of planes. PoolParams in pool.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint planes, h, w, oh, ow, kernel, stride, padding, relu;
} p;

// The elements of an axis that window `i` sees: from x to y.
uvec2 seen(uint i, uint size) {
  const uint begin = i * p.stride, end = begin + p.kernel;  // both with the padding before
  return uvec2(begin > p.padding ? begin - p.padding : 0u, min(end - min(end, p.padding), size));
}
// The windows that see element `i`: from x to y.
uvec2 seen_by(uint i, uint windows) {
  const uint at = i + p.padding;
  return uvec2(at < p.kernel ? 0u : (at - p.kernel) / p.stride + 1, min(at / p.stride + 1, windows));
}
