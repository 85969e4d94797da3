#include "monitor/anomalies.h"

#include <algorithm>
#include <cmath>

#include "monitor/wording.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

std::uint64_t increase(std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; }

bool idle(const Sample& now, const Sample& before) {
  return now.launches == before.launches && now.plan_runs == before.plan_runs && now.transfer_bytes == before.transfer_bytes;
}

}  // namespace

void AnomalyWatch::restart() { *this = {}; }

bool AnomalyWatch::begins_anew(const Sample& sample) const {
  return sample.device != before_->device || sample.time < before_->time || sample.epoch < before_->epoch ||
         (sample.steps > 0) != (before_->steps > 0);
}

std::vector<Anomaly> AnomalyWatch::add(const Sample& sample) {
  std::vector<Anomaly> found;
  if (before_ && begins_anew(sample)) {
    const Alarm loss = loss_;
    restart();
    loss_ = loss;
  }
  look_at_loss(sample, found);
  steps_.add(sample, found);
  if (before_ && !idle(sample, *before_)) {
    memory_.add(sample, found);
    look_at_evictions(sample, found);
  }
  before_ = sample;
  return found;
}

void AnomalyWatch::look_at_loss(const Sample& sample, std::vector<Anomaly>& found) {
  if (!sample.loss) return;
  if (std::isfinite(*sample.loss)) {
    losses_.add(*sample.loss);
    loss_.settle(true);
    return;
  }
  if (!loss_.raise()) return;
  const Distribution usual(losses_.values());
  const std::string was = usual.size() ? cat(", where it was ", three_digits(usual.at(0.05)), " to ", three_digits(usual.at(0.95))) : "";
  found.push_back({Anomaly::loss, sample.time, "loss", *sample.loss, usual.at(0.05), usual.at(0.95),
                   cat("the loss is ", three_digits(*sample.loss), " since step ", sample.steps, was,
                       ": try a lower learning rate or clip_norm, and look for bad values in the samples")});
}

// A block is given back and asked for again, in every sample: the cache is too small for what a step needs.
void AnomalyWatch::look_at_evictions(const Sample& sample, std::vector<Anomaly>& found) {
  const auto evicted = static_cast<double>(increase(sample.evictions, before_->evictions));
  const auto allocated = static_cast<double>(increase(sample.allocations, before_->allocations));
  const auto reused = static_cast<double>(increase(sample.reuses, before_->reuses));
  evictions_.add(evicted);
  allocations_.add(allocated);
  share_.add(allocated > 0 ? allocated / (allocated + reused) : 0);
  const auto always = [](const Window& window) { return std::ranges::all_of(window.values(), [](double count) { return count > 0; }); };
  if (evictions_.size() < 20 || !always(evictions_) || !always(allocations_) || median(share_.values()) < 0.02) {
    thrashing_.settle(evicted == 0 || allocated == 0);
    return;
  }
  if (!thrashing_.raise()) return;
  const double usual = mean(evictions_.values());
  found.push_back({Anomaly::evictions, sample.time, "evictions", usual, 0, 0,
                   cat("about ", three_digits(usual), " blocks are evicted and ", three_digits(mean(allocations_.values())),
                       " allocated in every sample: idle memory is given back and asked for again; raise cache_limit or "
                       "max_cached_per_class, or the memory limit if evictions come from it")});
}

}  // namespace tidepool::inline v0::monitor
