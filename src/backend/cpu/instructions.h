// Which of the compiled instruction sets this processor runs. Kernels are compiled for the baseline of the architecture
// and, on x86-64, for AVX2 with FMA.
#pragma once

namespace tidepool::inline v0 {

enum Instructions : int { baseline = 0, avx2 = 1 };

inline int best_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) return avx2;
#endif
  return baseline;
}

inline const char* name_of_instructions(int instructions) { return instructions == avx2 ? "AVX2" : "baseline"; }

}  // namespace tidepool::inline v0
