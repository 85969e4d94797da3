// Convolutions forward and backward on the CPU, against oneDNN's own primitives for images that lie as ours do.
#include "bench/gate.h"

#include <tidepool/tidepool.h>

#include "bench/bare_conv.h"

#ifdef TIDEPOOL_ONEDNN

namespace tidepool::gates {

namespace {

class Ours {
 public:
  explicit Ours(const BareConvSizes& s)
      : x_(full({s.n, s.c, s.side, s.side}, 0.5F, {.device = cpu_})),
        w_(full({s.o, s.c, 3, 3}, 0.5F, {.device = cpu_})),
        b_(full({s.o}, 0.5F, {.device = cpu_})),
        seed_(full({s.n, s.o, s.side, s.side}, 0.5F, {.device = cpu_})) {}

  void run() const {
    const Tensor x = x_.detach().requires_grad(), w = w_.detach().requires_grad(), b = b_.detach().requires_grad();
    conv2d(x, w, b, {.padding = 1}).backward(seed_);
    sync();
  }

 private:
  Device cpu_ = device("cpu");
  Tensor x_, w_, b_, seed_;
};

Measured measure(const BareConvSizes& sizes) {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return {.skipped = "there is no oneDNN to compare with"};
  BareConv bare(*dnn, sizes);
  const Ours ours(sizes);
  return compare(
      1, [&] { ours.run(); }, [&] { bare.run(); });
}

}  // namespace

Measured measure_conv_many_images() { return measure({.n = 64, .c = 32, .o = 64, .side = 28, .plain = true}); }
Measured measure_conv_many_channels() { return measure({.n = 8, .c = 128, .o = 256, .side = 28, .plain = true}); }

}  // namespace tidepool::gates

#else

namespace tidepool::gates {
Measured measure_conv_many_images() { return {.skipped = "built without oneDNN"}; }
Measured measure_conv_many_channels() { return {.skipped = "built without oneDNN"}; }
}  // namespace tidepool::gates

#endif
