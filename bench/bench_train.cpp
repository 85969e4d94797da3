// Training steps.
#include "bench/bench.h"
#include "bench/train_step.h"

namespace tidepool::bench {

namespace {

template <class Make>
auto timed(Make make) {
  return [make](State& state) {
    manual_seed(1);
    TrainStep step = make();
    constexpr std::int64_t at_once = 8;  // so that waiting for the last is timed, and does not count for much
    while (state.KeepRunningBatch(at_once)) {
      for (std::int64_t i = 0; i < at_once; ++i) step.run();
      step.finish();
    }
    state.counters["samples/s"] = benchmark::Counter(static_cast<double>(step.rows() * state.iterations()), benchmark::Counter::kIsRate);
  };
}

}  // namespace

void add_train(Suite& suite) {
  suite.add("train/xor 2-8-1, batch 4", timed(xor_step));
  suite.add("train/sine 1-256-1, batch 128", timed(sine_step));
  suite.add("train/mlp 784-256-128-10, batch 128", timed(mlp_step));
  suite.add("train/cnn 32-64-128, batch 64", timed(cnn_step));
}

}  // namespace tidepool::bench
