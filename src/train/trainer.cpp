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
  require_at_least("Trainer", "patience", options.patience, 0);
  require_not_negative("Trainer", "clip_norm", options.clip_norm);
  if (!inner_->has_loss()) throw ArgumentError("Trainer", "got no loss function; give it tp::cross_entropy, say");
}
Trainer::~Trainer() = default;

TrainResult Trainer::fit(const data::Dataset& train, const data::Dataset& test) { return inner_->fit(train, test); }
EvalResult Trainer::evaluate(const data::Dataset& test) { return inner_->evaluate(test); }
void Trainer::resume(const std::string& path) { inner_->resume(path); }
void Trainer::stop() { inner_->stop(); }

}  // namespace tidepool::inline v0
