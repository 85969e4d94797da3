#include "train/training.h"

#include "platform/cat.h"

namespace tidepool::inline v0 {

// The smallest batch that is within 5 % of the fastest, of those that fit into memory. Nothing is learned meanwhile.
std::int64_t Training::found_batch(const data::Dataset& train) {
  std::int64_t best_batch = 0;
  double best_rate = 0;
  for (std::int64_t batch = 16; batch <= 1024 && (batch == 16 || batch <= train.size()); batch *= 2) {
    std::int64_t samples = 0;
    double seconds = 0;
    try {
      begin(train, batch);
      batches_->seek(0, 0);
      for (int i = 0; i < 100 && (i < 3 || seconds < 0.25); ++i) {
        const data::HostBatch host = batches_->next();
        steps_.upload(host);
        const Clock::time_point start = Clock::now();
        steps_.train(host.rows);
        steps_.read_sums();
        if (i == 0) continue;  // made its plan
        seconds += seconds_since(start);
        samples += host.rows;
      }
    } catch (const OutOfMemory&) {
      break;
    }
    const double rate = static_cast<double>(samples) / seconds;
    if (best_batch == 0 || rate > 1.05 * best_rate) {
      best_batch = batch;
      best_rate = rate;
    }
  }
  restore(kept_);
  steps_.forget();
  if (best_batch == 0) best_batch = 16;  // in smaller pieces, as memory allows
  announce(cat("batch: ", best_batch, " samples, found by trying 16 to 1024"));
  return best_batch;
}

}  // namespace tidepool::inline v0
