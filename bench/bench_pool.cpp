// The pool alone: the null backend stands for the device.
#include "backend/null/null_backend.h"
#include "bench/bench.h"
#include "device/slot.h"

#include <array>

namespace tidepool::bench {

namespace {

constexpr std::array<std::size_t, 8> sizes = {64, 4096, 100, 65536, 1000, 12288, 300, 1 << 20};

void take_and_return(State& state, std::size_t live) {
  DeviceSlot slot("bench", [] { return std::make_unique<NullBackend>(); });
  const auto stream = slot.stream();
  const StreamLock lock(*stream);
  BlockPool& pool = stream->pool();
  pool.set_limits({});
  std::vector<Block*> lent;
  for (std::size_t i = 0; i < live; ++i) lent.push_back(pool.take(sizes[i % sizes.size()], MemoryTag::activations, "bench"));
  std::size_t next = 0;
  for (auto _ : state) {
    Block* block = pool.take(sizes[next++ % sizes.size()], MemoryTag::activations, "bench");
    benchmark::DoNotOptimize(block);
    pool.give_back(block);
  }
  for (Block* block : lent) pool.give_back(block);
}

}  // namespace

void add_pool(Suite& suite) {
  for (const std::size_t live : {std::size_t{10}, std::size_t{100'000}})
    suite.add("pool take and return/" + std::to_string(live) + " live", [live](State& state) { take_and_return(state, live); });
}

}  // namespace tidepool::bench
