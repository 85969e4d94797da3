// A column of the middle: element m stands at begin + m * p.inner. MiddleParams in reduce.h.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner; float scale; } p;

bool has_column(uint i) { return i < p.outer * p.inner; }
uint column_begin(uint i) { return i / p.inner * p.middle * p.inner + i % p.inner; }
