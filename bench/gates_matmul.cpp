// Products and a layer, against oneDNN's product called directly on the same numbers with as many threads.
#include <tidepool/tidepool.h>

#include "backend/cpu/onednn_api.h"
#include "bench/gate.h"
#include "bench/values.h"
#include "platform/system.h"

#include <vector>

namespace tidepool::gates {

#ifdef TIDEPOOL_ONEDNN

namespace {

Tensor numbers(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 31) / 31.0F - 0.5F;
  return from_host(values, shape, device("cpu"));
}

Measured without_onednn() { return {.skipped = "oneDNN is not there to compare with: install libdnnl2"}; }

// c = a · b; a transposed operand is stored the other way round.
struct Bare {
  const OneDnnFunctions& dnn;
  void operator()(char transposed_a, const Tensor& a, char transposed_b, const Tensor& b, const Tensor& c, std::int64_t m, std::int64_t n,
                  std::int64_t k) const {
    dnn.sgemm(transposed_a, transposed_b, m, n, k, 1.0F, values_of(a), transposed_a == 'T' ? m : k, values_of(b),
              transposed_b == 'T' ? k : n, 0.0F, values_of(c), n);
    use(values_of(c));
  }
};

}  // namespace

template <int size>
Measured measure_matmul() {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return without_onednn();
  const Tensor a = numbers({size, size}), b = numbers({size, size}), z = numbers({size, size});
  constexpr std::size_t rounds = size <= 64 ? 200 : size <= 256 ? 10 : 1;
  const OneDnnThreads threads(usable_cores());
  return compare(
      rounds,
      [&] {
        const Tensor c = matmul(a, b);
        use(c.node());
      },
      [&] { Bare{*dnn}('N', a, 'N', b, z, size, size, size); });
}

// Forward and backward, for the input too; the gradients are given away each time, as in a first backward.
Measured measure_linear() {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return without_onednn();
  constexpr std::int64_t n = 128, in = 784, out = 512;
  const Tensor x = numbers({n, in}), w = numbers({out, in}), b = numbers({out}), seed = numbers({n, out});
  const Tensor y = numbers({n, out}), dx = numbers({n, in}), dw = numbers({out, in});
  const OneDnnThreads threads(usable_cores());
  return compare(
      1,
      [&] {
        const Tensor own_x = x.detach().requires_grad(), own_w = w.detach().requires_grad(), own_b = b.detach().requires_grad();
        linear(own_x, own_w, own_b, Activation::relu).backward(seed);
        use(own_w.grad().node());
      },
      [&] {
        const Bare bare{*dnn};
        bare('N', x, 'T', w, y, n, out, in);
        bare('N', seed, 'N', w, dx, n, in, out);
        bare('T', seed, 'N', x, dw, out, in, n);
      });
}

#else

template <int size>
Measured measure_matmul() {
  return {.skipped = "built without oneDNN's headers, so there is nothing to compare with"};
}
Measured measure_linear() { return measure_matmul<64>(); }

#endif

template Measured measure_matmul<64>();
template Measured measure_matmul<256>();
template Measured measure_matmul<512>();
template Measured measure_matmul<1024>();
template Measured measure_matmul<2048>();

}  // namespace tidepool::gates
