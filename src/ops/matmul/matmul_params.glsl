// GpuProductParams in gpu_product.h.
layout(push_constant) uniform P {
  uint shifts[2];
  uint m, n, k;
  uint parts, per_part;
  uint a_row, a_k, b_k, b_column, c_row, c_column, c_matrix;
  uint bias, activation;
  uint matrices;
  uint size[3], a_step[3], b_step[3];
} p;

uint rows() { return p.m; }
uint columns_in_all() { return p.n; }
uint depth() { return p.k; }
uint matrices() { return p.matrices; }
uint parts() { return p.parts; }
uint per_part() { return p.per_part; }
