// Which instruction sets kernels are compiled for, and how a kernel finds its variant at run time. A kernel file starts
//
//     #include "backend/cpu/simd_targets.h"
//     #undef HWY_TARGET_INCLUDE
//     #define HWY_TARGET_INCLUDE "ops/relu/relu_cpu.cpp"    // itself: Highway includes it once for each
//     #include <hwy/foreach_target.h>
//     #include "backend/cpu/simd-inl.h"
#pragma once

// SSSE3, SSE4 and POWER are not worth their compile time: what is to be fast has AVX2. AVX-512 is for what multiplies most, products and
// convolutions, and for chains in registers: a file that wants it says TIDEPOOL_SIMD_WIDE first. Elsewhere memory is what counts.
#ifdef TIDEPOOL_SIMD_WIDE
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_PPC8)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_PPC8)
#endif

#include <hwy/detect_targets.h>

#include "backend/cpu/instructions.h"

#if HWY_TARGETS & HWY_AVX3
#define TIDEPOOL_RUN(function, call)       \
  do {                                     \
    if ((call).instructions == avx512)     \
      N_AVX3::function(call);              \
    else if ((call).instructions == avx2)  \
      N_AVX2::function(call);              \
    else                                   \
      HWY_STATIC_DISPATCH(function)(call); \
  } while (false)
// The address of a variant, as one of this type.
#define TIDEPOOL_VARIANT(Type, function, instructions)                 \
  ((instructions) == avx512 ? reinterpret_cast<Type>(N_AVX3::function) \
   : (instructions) == avx2 ? reinterpret_cast<Type>(N_AVX2::function) \
                            : reinterpret_cast<Type>(HWY_STATIC_DISPATCH(function)))
#elif HWY_TARGETS & HWY_AVX2
#define TIDEPOOL_RUN(function, call)       \
  do {                                     \
    if ((call).instructions >= avx2)       \
      N_AVX2::function(call);              \
    else                                   \
      HWY_STATIC_DISPATCH(function)(call); \
  } while (false)
#define TIDEPOOL_VARIANT(Type, function, instructions) \
  ((instructions) >= avx2 ? reinterpret_cast<Type>(N_AVX2::function) : reinterpret_cast<Type>(HWY_STATIC_DISPATCH(function)))
#else
#define TIDEPOOL_RUN(function, call) HWY_STATIC_DISPATCH(function)(call)
#define TIDEPOOL_VARIANT(Type, function, instructions) ((void)(instructions), reinterpret_cast<Type>(HWY_STATIC_DISPATCH(function)))
#endif
