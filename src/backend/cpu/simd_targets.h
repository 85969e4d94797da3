// Which instruction sets kernels are compiled for, and how a kernel finds its variant at run time. A kernel file starts
//
//     #include "backend/cpu/simd_targets.h"
//     #undef HWY_TARGET_INCLUDE
//     #define HWY_TARGET_INCLUDE "ops/relu/relu_cpu.cpp"    // itself: Highway includes it once for each
//     #include <hwy/foreach_target.h>
//     #include "backend/cpu/simd-inl.h"
#pragma once

// AVX-512 has not been run on any machine of ours, so it is not shipped; SSSE3, SSE4 and POWER are not
// worth their compile time: what is to be fast has AVX2.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_PPC8)

#include <hwy/detect_targets.h>

#include "backend/cpu/instructions.h"

#if HWY_TARGETS & HWY_AVX2
#define TIDEPOOL_RUN(function, call)       \
  do {                                     \
    if ((call).instructions == avx2)       \
      N_AVX2::function(call);              \
    else                                   \
      HWY_STATIC_DISPATCH(function)(call); \
  } while (false)
// The address of a variant, as one of this type.
#define TIDEPOOL_VARIANT(Type, function, instructions) \
  ((instructions) == avx2 ? reinterpret_cast<Type>(N_AVX2::function) : reinterpret_cast<Type>(HWY_STATIC_DISPATCH(function)))
#else
#define TIDEPOOL_RUN(function, call) HWY_STATIC_DISPATCH(function)(call)
#define TIDEPOOL_VARIANT(Type, function, instructions) ((void)(instructions), reinterpret_cast<Type>(HWY_STATIC_DISPATCH(function)))
#endif
