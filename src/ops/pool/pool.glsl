// Windows of planes. PoolParams in pool.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint planes, h, w, oh, ow, kernel, stride, padding, along, begin, end, relu;
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

// Windows that lie along the rows have one row, those along the columns one column.
uvec2 rows_seen(uint oy) { return p.along == 1 ? uvec2(oy, oy + 1) : seen(oy, p.h); }
uvec2 columns_seen(uint ox) { return p.along == 2 ? uvec2(ox, ox + 1) : seen(ox, p.w); }
uvec2 rows_seeing(uint row) { return p.along == 1 ? uvec2(row, row + 1) : seen_by(row, p.oh); }
uvec2 columns_seeing(uint column) { return p.along == 2 ? uvec2(column, column + 1) : seen_by(column, p.ow); }
float elements_of_window() { return p.along == 0 ? float(p.kernel) * float(p.kernel) : float(p.kernel); }
