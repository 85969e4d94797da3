// Taking a block from the pool and giving it back, with few and with many others lent. The null backend stands for the
// device, so that only the pool's own work is timed.
#include "backend/null/null_backend.h"
#include "bench/gate.h"
#include "device/slot.h"

#include <array>

namespace tidepool::gates {

namespace {

constexpr std::array<std::size_t, 8> sizes = {64, 4096, 100, 65536, 1000, 12288, 300, 1 << 20};

Measured measure_pool(std::size_t live) {
  DeviceSlot slot("gate", [] { return std::make_unique<NullBackend>(); });
  const auto stream = slot.stream();
  const StreamLock lock(*stream);
  BlockPool& pool = stream->pool();
  pool.set_limits({});
  std::vector<Block*> lent;
  for (std::size_t i = 0; i < live; ++i) lent.push_back(pool.take(sizes[i % sizes.size()], MemoryTag::activations, "gate"));

  std::size_t next = 0;
  const auto take_and_return = [&] {
    Block* block = pool.take(sizes[next++ % sizes.size()], MemoryTag::activations, "gate");
    use(block);
    pool.give_back(block);
  };
  // An absolute figure is at the mercy of the machine; the best of several medians is what the code can do.
  Measured best{.ours = 1e9};
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::vector<double> samples;
    for (int i = 0; i < 31; ++i) samples.push_back(time_of(2000, take_and_return));
    best.ours = std::min(best.ours, median(samples));
  }
  for (Block* block : lent) pool.give_back(block);
  return best;
}

}  // namespace

Measured measure_pool_with_few() { return measure_pool(10); }
Measured measure_pool_with_many() { return measure_pool(100'000); }

}  // namespace tidepool::gates
