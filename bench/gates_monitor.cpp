// What watching costs, by account: the time inside the monitor, and its own thread's, of a whole run's.
#include <tidepool/monitor.h>

#include "bench/gate.h"
#include "bench/train_step.h"

namespace tidepool::gates {

namespace {

Measured share_of(nn::Sequential net, const Trainer::Loss& loss, const data::Dataset& data, std::int64_t epochs, std::int64_t batch) {
  optim::Adam opt(net.parameters(), {.lr = 1e-3});
  Trainer trainer(net, opt, loss, {.epochs = epochs, .batch = batch, .shuffle = batch < data.size()});
  monitor::enable();
  trainer.fit(data);
  const monitor::Cost cost = monitor::cost();
  monitor::disable();
  return {.ours = 1e9 * (cost.seconds + cost.background_seconds), .bare = 1e9 * cost.total};
}

}  // namespace

Measured measure_watching_xor() { return share_of(cli::xor_network(), mse_loss, bench::xor_samples(), 1'000'000, 4); }
Measured measure_watching_cnn() { return share_of(cli::fashion_network(), cross_entropy, bench::labelled({6400, 1, 28, 28}, 10), 1, 64); }

}  // namespace tidepool::gates
