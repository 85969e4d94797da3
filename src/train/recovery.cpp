#include "train/training.h"

#include "core/node.h"
#include "device/next_device.h"
#include "optim/state.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

// The end, not one more loss to go on from.
struct GivenUp {
  std::string why;
};

// New memory of zeros under the same tensor and its gradient.
void remake(Node& node, const Device& device) {
  const Tensor fresh = zeros(node.shape, {.dtype = node.dtype, .device = device});
  node.rehome(device.slot(), fresh.node()->storage, fresh.node()->offset);
  if (node.grad) remake(*node.grad, device);
}

}  // namespace

// A device may be lost again while training is brought back from a loss.
void Training::over_losses(const std::function<void()>& work) {
  std::string lost;
  for (;;) try {
      if (!lost.empty()) recover(lost);
      return work();
    } catch (const GivenUp& end) {
      throw DeviceLost("fit", end.why);
    } catch (const DeviceLost& error) {
      lost = loss_text(steps_.device(), error);
    }
}

// What was on the device comes from the last snapshot, and the steps since are done again.
void Training::recover(const std::string& why) {
  fruitless_ = now_.step > furthest_loss_ ? 1 : fruitless_ + 1;
  furthest_loss_ = std::max(furthest_loss_, now_.step);
  if (fruitless_ > options_.max_recoveries) give_up(why);
  const Device lost = steps_.device(), next = device_to_go_on_with(lost);
  announce(cat(why, "; going on from step ", kept_.step, " on ", next.id(), next == lost ? ", made anew" : ""), LogLevel::warn);
  remake_on(next);
  restore(kept_);
  ++result_.recoveries;
}

Device Training::device_to_go_on_with(const Device& lost) {
  std::string failed;
  if (const std::optional<Device> next = tidepool::device_to_go_on_with(lost, fruitless_, failed)) return *next;
  give_up(failed);
}

void Training::remake_on(const Device& device) {
  steps_.forget();
  speed_.slowness.forget();
  optim::OptimizerAccess::state(optimizer_).remake(device);
  const std::vector<Tensor>& optimized = optimizer_.parameters();
  for (const auto& named : tensors_of(net_)) {
    const Tensor& tensor = named.second;
    const bool done = std::ranges::any_of(optimized, [&](const Tensor& one) { return one.node() == tensor.node(); });
    if (!done) remake(*tensor.node(), device);
  }
  if (prepared_)
    use_training_set();
  else
    kept_tensors_ = tensors_to_keep(net_, optimizer_, {});
}

void Training::give_up(const std::string& why) {
  const std::string& path = options_.checkpoint.empty() ? options_.interrupt_checkpoint : options_.checkpoint;
  std::string rest = cat("set TrainOptions::checkpoint to keep what was learned up to step ", kept_.step);
  if (!path.empty() && prepared_) try {
      write_kept(path);
      rest = cat("what was learned up to step ", kept_.step, " is in ", path, ", to resume from");
    } catch (const IoError& error) {  // the loss is what fit ends for
      rest = cat("what was learned up to step ", kept_.step, " could not be kept: ", error.what());
    }
  progress_.clear();
  throw GivenUp{cat("lost ", fruitless_, " times in a row at step ", furthest_loss_, " or before; last: ", why, "; ", rest)};
}

}  // namespace tidepool::inline v0
