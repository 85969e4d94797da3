// `a + b` of 16 floats on the CPU, against what a program's own smallest tensor would do: take a buffer from a freelist,
// add in a loop, put the buffer back.
#include <tidepool/tidepool.h>

#include "bench/gate.h"

#include <cstdlib>
#include <vector>

namespace tidepool::gates {

namespace {

struct BareTensor {
  float* values;
  std::size_t count;
};

class Freelist {
 public:
  explicit Freelist(std::size_t count) : count_(count) {
    for (int i = 0; i < 16; ++i)
      idle_.push_back(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) & ~std::size_t{63})));
  }
  ~Freelist() {
    for (float* values : idle_) std::free(values);
  }
  Freelist(const Freelist&) = delete;
  Freelist& operator=(const Freelist&) = delete;

  BareTensor take() {
    float* values = idle_.back();
    idle_.pop_back();
    return {values, count_};
  }
  void give_back(const BareTensor& tensor) { idle_.push_back(tensor.values); }

 private:
  std::size_t count_;
  std::vector<float*> idle_;
};

[[gnu::noinline]] BareTensor bare_add(Freelist& freelist, const BareTensor& a, const BareTensor& b) {
  const BareTensor out = freelist.take();
  for (std::size_t i = 0; i < out.count; ++i) out.values[i] = a.values[i] + b.values[i];
  return out;
}

[[gnu::noinline]] void bare_release(Freelist& freelist, const BareTensor& tensor) { freelist.give_back(tensor); }

}  // namespace

Measured measure_addition() {
  constexpr std::size_t count = 16;
  const std::vector<float> ones(count, 1.0F);
  const Device cpu = device("cpu");
  const Tensor a = from_host(ones, {count}, cpu), b = from_host(ones, {count}, cpu);

  Freelist freelist(count);
  const BareTensor x = freelist.take(), y = freelist.take();
  std::copy(ones.begin(), ones.end(), x.values);
  std::copy(ones.begin(), ones.end(), y.values);

  const Measured measured = compare(
      2000,
      [&] {
        const Tensor sum = a + b;
        use(sum.node());
      },
      [&] {
        const BareTensor sum = bare_add(freelist, x, y);
        use(sum.values);
        bare_release(freelist, sum);
      });
  bare_release(freelist, x);
  bare_release(freelist, y);
  return measured;
}

}  // namespace tidepool::gates
