#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/loss/confusion.glsl"

void main() {
  if (item() == 0) count_rows();
}
