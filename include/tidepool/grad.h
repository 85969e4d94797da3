// Gradients. `requires_grad()` marks a tensor; `backward()` on a result fills `grad()` of all that led to it.
#pragma once

#include <tidepool/tensor.h>

namespace tidepool::inline v0 {

// While it lives, this thread's operations record no gradient.
class TIDEPOOL_API NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

}  // namespace tidepool::inline v0
