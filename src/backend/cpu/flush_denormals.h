// While it lives, results of this thread that are smaller than the smallest normal number (1.2e-38) are zero, and such operands count as
// zero. Processors take a hundred times as long for them, and an optimizer's moments, which decay with every step, would come to rest
// there.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tidepool::inline v0 {

class FlushDenormals {
 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | results | operands); }
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned results = 0x8000, operands = 0x0040;
  unsigned before_;
#else
  FlushDenormals() {}  // NOLINT(modernize-use-equals-default): a variable of it is used
#endif
};

}  // namespace tidepool::inline v0
