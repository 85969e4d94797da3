#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"
#include "ops/update/sgd.glsl"

void main() {
  const uint i = item();
  if (i < p.count) sgd(i, p.lr);
}
