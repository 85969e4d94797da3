// Lines along the middle of [outer, middle, inner]: element m of a line stands at line_begin + m * p.inner. MiddleParams
// in reduce.h.
layout(push_constant) uniform P { uint shifts[2]; uint outer, middle, inner; float scale; } p;

bool has_line(uint line) { return line < p.outer * p.inner; }
uint line_begin(uint line) { return line / p.inner * p.middle * p.inner + line % p.inner; }

bool has_element(uint i) { return i < p.outer * p.middle * p.inner; }
uint line_of(uint i) { return i / (p.middle * p.inner) * p.inner + i % p.inner; }
