#include <tidepool/error.h>
#include <tidepool/nn.h>

#include "platform/cat.h"

namespace tidepool::inline v0::nn {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1)) throw ArgumentError("Dropout", cat("p is ", p, "; wanted 0 to 1"));
}
Tensor Dropout::forward(const Tensor& x) { return dropout(x, p_, training()); }
std::string Dropout::kind() const { return "Dropout"; }

}  // namespace tidepool::inline v0::nn
