// Which of the compiled instruction sets this processor runs. Kernels are compiled for the baseline of the architecture
// and, on x86-64, for SSE4 and for AVX2 with FMA.
#pragma once

namespace tidepool::inline v0 {

enum Instructions : int { baseline = 0, sse4 = 1, avx2 = 2 };

inline int best_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) return avx2;
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) return sse4;
#endif
  return baseline;
}

inline const char* name_of_instructions(int instructions) {
  return instructions == avx2 ? "AVX2" : instructions == sse4 ? "SSE4" : "baseline";
}

}  // namespace tidepool::inline v0
