// dw of each group: rows are its output channels, columns its channels and taps, and k goes over the windows of all images.
// A bias is one column more, in which b is 1.
#include "ops/conv/conv_params.glsl"

uint rows() { return p.o / p.groups; }
uint weights_of_row() { return p.c / p.groups * p.kh * p.kw; }
uint columns_in_all() { return weights_of_row() + p.with_bias; }
uint depth() { return p.n * p.oh * p.ow; }
uint matrices() { return p.groups; }
uint parts() { return p.parts; }
uint per_part() { return p.per_part; }
