// Additions that memory bounds, against a plain loop over the same buffers with as many threads.
#include <tidepool/tidepool.h>

#include "backend/cpu/team.h"
#include "bench/gate.h"
#include "bench/values.h"
#include "platform/system.h"

namespace tidepool::gates {

namespace {

void stream_add(CpuTeam& team, const float* a, const float* b, float* c, std::int64_t count) {
  team.run(static_cast<std::size_t>(count), 4096, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) c[i] = a[i] + b[i];
  });
}

}  // namespace

template <int mega>
Measured measure_large_addition() {
  constexpr std::int64_t count = std::int64_t{mega} << 20;
  CpuTeam team(usable_cores());
  const TensorOptions there{.dtype = DType::f32, .device = device("cpu")};
  const Tensor a = ones({count}, there), b = ones({count}, there), c = ones({count}, there);
  return compare(
      mega == 1 ? 4 : 1,
      [&] {
        const Tensor sum = a + b;
        use(sum.node());
      },
      [&] {
        stream_add(team, values_of(a), values_of(b), values_of(c), count);
        use(values_of(c));
      });
}
template Measured measure_large_addition<1>();
template Measured measure_large_addition<32>();

}  // namespace tidepool::gates
