// Operations and transfers. Small ones show what a call costs the host; large ones are waited for.
#include <tidepool/tidepool.h>

#include "bench/bench.h"

#include <vector>

namespace tidepool::bench {

namespace {

std::vector<float> values(std::int64_t count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  std::uint32_t seed = 1;
  for (float& v : all) {
    seed = seed * 1664525U + 1013904223U;
    v = static_cast<float>(seed >> 8) / 8388608.0F - 1.0F;
  }
  return all;
}

Tensor input(const Shape& shape) { return from_host(values(shape.numel()), shape); }

void per_second(State& state, const char* name, std::int64_t each) {
  state.counters[name] = benchmark::Counter(static_cast<double>(each), benchmark::Counter::kIsIterationInvariantRate);
}

// Calls the operation until there are enough, waiting for each.
template <class Operation>
void run(State& state, Operation operation) {
  operation();  // compiles shaders, fills the pool
  sync();
  for (auto _ : state) {
    operation();
    sync();
  }
}

void add_16(State& state) {
  const Tensor a = input({16}), b = input({16});
  for (auto _ : state) benchmark::DoNotOptimize((a + b).node());
  sync();
}

void add_16_recording(State& state) {
  const Tensor a = input({16}).requires_grad(), b = input({16});
  for (auto _ : state) benchmark::DoNotOptimize((a + b).node());
  sync();
}

constexpr std::int64_t million = 1 << 20;

void add_1m(State& state) {
  const Tensor a = input({million}), b = input({million});
  run(state, [&] { a + b; });
  per_second(state, "bytes/s", 3 * 4 * million);
}

void relu_1m(State& state) {
  const Tensor a = input({million});
  run(state, [&] { relu(a); });
  per_second(state, "bytes/s", 2 * 4 * million);
}

void sum_1m(State& state) {
  const Tensor a = input({million});
  run(state, [&] { sum(a); });
  per_second(state, "bytes/s", 4 * million);
}

void matmul_of(State& state, std::int64_t n) {
  const Tensor a = input({n, n}), b = input({n, n});
  run(state, [&] { matmul(a, b); });
  per_second(state, "flop/s", 2 * n * n * n);
}

void transfer_10mb(State& state) {
  const std::vector<float> host = values(2'500'000);
  std::vector<float> back(host.size());
  run(state, [&] { from_host(host, {2'500'000}).copy_to(std::span<float>(back)); });
  per_second(state, "bytes/s", 2 * 10'000'000);
}

void mean_square_10(State& state) {
  std::vector<Tensor> all;
  for (int i = 0; i < 10; ++i) all.push_back(input({250'000}));
  run(state, [&] {
    for (const Tensor& t : all) mean(square(t));
  });
  per_second(state, "bytes/s", 10 * 1'000'000);
}

}  // namespace

void add_operations(Suite& suite) {
  suite.add("add/16", add_16);
  suite.add("add/16/recording gradients", add_16_recording);
  suite.add("add/1M", add_1m);
  suite.add("relu/1M", relu_1m);
  suite.add("sum/1M", sum_1m);
  for (const std::int64_t n : {64, 256, 512}) suite.add("matmul/" + std::to_string(n), [n](State& state) { matmul_of(state, n); });
  suite.add("to the device and back/10 MB", transfer_10mb);
  suite.add("mean(square)/10 x 1 MB", mean_square_10);
}

}  // namespace tidepool::bench
