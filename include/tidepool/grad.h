// Gradients. `requires_grad()` marks a tensor; `backward()` on a result fills `grad()` of all that led to it.
#pragma once

#include <tidepool/tensor.h>

#include <functional>
#include <vector>

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

struct GradcheckOptions {
  double step = 1e-2;       // of the finite differences, times the value where that is larger than 1
  double tolerance = 2e-2;  // of the gradient
};
// Compares the gradients of a function of the user's own with finite differences of it. Throws an Error that names the worst
// element; true otherwise. The numbers are floats, so this finds wrong formulas, not lost digits.
TIDEPOOL_API bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f, const std::vector<Tensor>& inputs,
                            const GradcheckOptions& options = {});

}  // namespace tidepool::inline v0
