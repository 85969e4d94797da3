#include "monitor/step_watch.h"

#include <algorithm>
#include <cmath>

#include "monitor/wording.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t recent = 16;       // samples that show a lasting change
constexpr std::size_t steps_known = 32;  // samples before those, from which on something is known
constexpr double far_out = 8;            // times the usual step: machines pause for two or three, and nobody can help it
constexpr double slower = 1.35;          // times the usual step, lastingly
constexpr double least_noise = 0.04;     // of the logarithm: what is steadier than that is as good as this
constexpr double least_wait = 0.01;      // milliseconds

// What is usual: the middle, and the noise by the inner half of the values and by the upper tenth, whichever says more.
// Values in a few steps have an inner half of no width.
struct Usual {
  explicit Usual(std::span<const double> logarithms) : values(logarithms), middle(values.at(0.5)) {
    noise = std::max({least_noise, deviation(logarithms), (values.at(0.9) - middle) / 1.28});
  }
  double low() const { return std::exp(middle - 1.28 * noise); }  // eight of ten lie between these
  double high() const { return std::exp(middle + 1.28 * noise); }
  Distribution values;
  double middle, noise = 0;
};

// How much a value says about the one after it, 0 to 1: a pace that wanders is away from the middle for a while, and means nothing.
double persistence(std::span<const double> values, const Usual& usual) {
  const auto off = [&](double value) { return std::clamp(value - usual.middle, -usual.noise, usual.noise); };
  double together = 0, alone = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    together += off(values[i]) * off(values[i - 1]);
    alone += off(values[i]) * off(values[i]);
  }
  return alone > 0 ? std::clamp(together / alone, 0.0, 1.0) : 0;
}

}  // namespace

void StepWatch::restart() { *this = {}; }

void StepWatch::add(const Sample& sample, std::vector<Anomaly>& found) {
  if (!(sample.step_ms > 0) || !std::isfinite(sample.step_ms)) return;
  const double wait = std::isfinite(sample.loader_ms) ? std::clamp(sample.loader_ms, 0.0, sample.step_ms) : 0;
  steps_.add(std::log(sample.step_ms));
  work_.add(std::log(std::max(sample.step_ms - wait, 0.01 * sample.step_ms)));
  waits_.add(wait);
  shares_.add(wait / sample.step_ms);
  if (steps_.size() < steps_known + recent) return;
  look_at_waiting(sample, found);
  look_at_times(sample, found);
}

void StepWatch::look_at_times(const Sample& sample, std::vector<Anomaly>& found) {
  const std::span<const double> past = steps_.but_last(recent), past_work = work_.but_last(recent);
  const double value = steps_.values().back(), now = percentile(work_.last(recent), 0.25);
  const bool far = value > median(past) + std::log(far_out), lasting = now > median(past_work) + std::log(slower);
  if (!far && !lasting && !slow_.on()) return;  // nearly always
  // What happens again and again is known by now, however far out it is.
  const Usual usual(past);
  if (far && value > std::max(usual.middle + 8 * usual.noise, usual.values.at(0.98) + std::log(1.5))) {
    tell_of_one(sample, usual.low(), usual.high(), found);
    return;
  }
  // Three of four of the last steps are slower: one that is not does not hide the change, and pauses do not make one.
  const Usual work(past_work);
  const double shift = work.middle + std::max(std::log(slower), 1.5 * work.noise * (1 + 2 * persistence(past_work, work)));
  if (now <= shift) {
    slow_.settle(work_.values().back() <= shift);
    return;
  }
  if (!slow_.raise()) return;
  const double ms = std::exp(median(work_.last(recent)));
  found.push_back({Anomaly::step_time, sample.time, "step_ms", ms, work.low(), work.high(),
                   cat("steps now take ", readable_ms(ms), " where ", ms_range(work.low(), work.high()),
                       " were usual: see whether another program uses the device, or whether it is too hot")});
}

void StepWatch::tell_of_one(const Sample& sample, double low, double high, std::vector<Anomaly>& found) {
  const bool waited = shares_.values().back() > 0.5;
  if (!(waited ? late_ : slow_).raise()) return;
  if (!waited) {
    found.push_back({Anomaly::step_time, sample.time, "step_ms", sample.step_ms, low, high,
                     cat("a step took ", readable_ms(sample.step_ms), " where ", ms_range(low, high),
                         " are usual: see what else ran on the device at that moment")});
    return;
  }
  const Distribution waits(waits_.but_last(recent));
  const double wait = waits_.values().back();
  found.push_back({Anomaly::loader, sample.time, "loader_ms", wait, waits.at(0.1), waits.at(0.9),
                   cat("a step waited ", readable_ms(wait), " for its batch where ", readable_ms(waits.at(0.9)),
                       " is usual: see whether the disk or the source of the samples was held up")});
}

void StepWatch::look_at_waiting(const Sample& sample, std::vector<Anomaly>& found) {
  constexpr std::size_t last = 12;
  const double wait = percentile(waits_.last(last), 0.25), share = percentile(shares_.last(last), 0.25);
  if (share <= 0.2 && !late_.on()) return;
  const Distribution waits(waits_.but_last(recent)), shares(shares_.but_last(recent));
  const bool large_now = share > 0.4 && shares.at(0.9) < 0.2;
  const bool much_longer = share > 0.2 && wait > 5 * waits.at(0.9);
  if (!((large_now || much_longer) && wait > least_wait)) {
    late_.settle(shares_.values().back() < std::max(0.2, 1.5 * shares.at(0.9)));
    return;
  }
  if (!late_.raise()) return;
  const double now = median(waits_.last(last)), high = std::min(waits.at(0.9), now);
  found.push_back(
      {Anomaly::loader, sample.time, "loader_ms", now, std::min(waits.at(0.1), high), high,
       cat("steps wait ", readable_ms(now), " for their batches, ", readable_share(median(shares_.last(last))), " of their time, where ",
           readable_ms(high), " was usual: see whether the disk or the source of the samples is held up")});
}

}  // namespace tidepool::inline v0::monitor
