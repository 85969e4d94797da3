#include <tidepool/train.h>

#include <tidepool/error.h>

#include "core/checks.h"
#include "train/training.h"

namespace tidepool::inline v0 {

struct Trainer::Inner : Training {
  using Training::Training;
};

Trainer::Trainer(nn::Module& net, optim::Optimizer& optimizer, Loss loss, const TrainOptions& options)
    : inner_(std::make_unique<Inner>(net, optimizer, std::move(loss), options)) {
  require_at_least("Trainer", "epochs", options.epochs, 1);
  require_at_least("Trainer", "batch", options.batch, 0);
  require_at_least("Trainer", "micro_batch", options.micro_batch, 0);
  require_at_least("Trainer", "snapshot_every", options.snapshot_every, 1);
  require_at_least("Trainer", "checkpoint_every", options.checkpoint_every, 0);
  require_at_least("Trainer", "max_recoveries", options.max_recoveries, 0);
  require_at_least("Trainer", "patience", options.patience, 0);
  require_not_negative("Trainer", "clip_norm", options.clip_norm);
  require_not_negative("Trainer", "snapshot_share", options.snapshot_share);
  if (!inner_->has_loss()) throw ArgumentError("Trainer", "got no loss function; give it tp::cross_entropy, say");
}
Trainer::~Trainer() = default;

TrainResult Trainer::fit(const data::Dataset& train, const data::Dataset& test) try {
  return inner_->fit(train, test);
} catch (const std::bad_alloc&) {
  throw OutOfMemory("fit", "the host has no memory left; train on fewer samples, or end other programs");
}
EvalResult Trainer::evaluate(const data::Dataset& test) { return inner_->evaluate(test); }
void Trainer::resume(const std::string& path) { inner_->resume(path); }
void Trainer::stop() { inner_->stop(); }

}  // namespace tidepool::inline v0
