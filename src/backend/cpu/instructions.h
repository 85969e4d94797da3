// Which of the compiled instruction sets this processor runs. Kernels are compiled for the baseline of the architecture
// and, on x86-64, for AVX2 with FMA; products, convolutions and chains in registers for AVX-512 too.
#pragma once

namespace tidepool::inline v0 {

enum Instructions : int { baseline = 0, avx2 = 1, avx512 = 2 };

inline int best_instructions() {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx2) return wide ? avx512 : avx2;
#endif
  return baseline;
}

inline const char* name_of_instructions(int instructions) {
  return instructions == avx512 ? "AVX-512" : instructions == avx2 ? "AVX2" : "baseline";
}

}  // namespace tidepool::inline v0
