// A kernel that tests share: out = a x + y, in every form.
#pragma once

#include <tidepool/tidepool.h>

#include <cstdint>
#include <string>

#include "support/devices.h"

namespace tidepool::inline v0 {

struct SaxpyParams {
  float a;
  std::uint32_t n;
};

inline const std::string saxpy_glsl = R"(layout(push_constant) uniform Params { float a; uint n; } p;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) buffer Out { float z[]; };
void main() {
  const uint i = item();
  if (i < p.n) z[i] = p.a * x[i] + y[i];
}
)";

// A compute shader as any Vulkan program has it.
inline std::string whole_saxpy_glsl() {
  std::string text = saxpy_glsl;
  text.replace(text.find("item()"), 6, "gl_GlobalInvocationID.x");
  return "#version 450\nlayout(local_size_x = 128) in;\n" + text;
}

inline void saxpy_on_cpu(KernelCall& call) {
  const auto [a, n] = call.params<SaxpyParams>();
  const float *x = call.buffer<float>(0), *y = call.buffer<float>(1);
  float* out = call.buffer<float>(2);
  for (std::int64_t i = 0; i < call.size(); ++i)
    if (i < n) out[i] = a * x[i] + y[i];
}

inline KernelOptions saxpy_options(const std::string& name = "saxpy") {
  return {.name = name, .glsl = saxpy_glsl, .cpu = saxpy_on_cpu, .bindings = 3, .writes = {2}};
}

class KernelTest : public OnEveryDevice {
 protected:
  // Numbers 0, 1, 2, … and what saxpy makes of them.
  static std::vector<float> counting(std::size_t n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
    return values;
  }
  void run(const Kernel& kernel, std::int64_t n, float a, const Tensor& x, const Tensor& y, const Tensor& out) {
    kernel(n, SaxpyParams{a, static_cast<std::uint32_t>(n)}, {x, y, out});
  }
};

}  // namespace tidepool::inline v0
