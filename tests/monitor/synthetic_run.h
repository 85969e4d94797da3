// Samples of a run that never was: steady and noisy, with faults where a test plants them.
//
//     SyntheticRun run({.step_noise = gaussian(0.1)}, seed);
//     run.step_factor = 2;                    // from now on steps take twice as long
//     watch.add(run.next());
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

using Random = std::mt19937;
using Noise = std::function<double(Random&)>;                   // a factor
using Shape = std::function<double(Random&, std::int64_t at)>;  // a factor that depends on the sample's number

inline Noise gaussian(double sigma) {
  return [sigma](Random& random) { return std::max(0.02, std::normal_distribution<double>(1, sigma)(random)); };
}
// As real machines have it: skewed, and now and then something else runs for two or three times as long.
inline Noise lognormal_with_pauses(double sigma, double pauses) {
  return [=](Random& random) {
    const double factor = std::lognormal_distribution<double>(0, sigma)(random);
    const bool paused = std::bernoulli_distribution(pauses)(random);
    return paused ? factor * std::uniform_real_distribution<double>(2, 3)(random) : factor;
  };
}
// Times of a clock that knows two values.
inline Noise quantised(double upper_share) {
  return [=](Random& random) { return std::bernoulli_distribution(upper_share)(random) ? 2.0 : 1.0; };
}
// Noise that remembers: a pace that is high now is high in a second.
inline Noise wandering(double sigma) {
  return [=, at = 0.0](Random& random) mutable {
    at = 0.9 * at + std::sqrt(1 - 0.81) * std::normal_distribution<double>(0, sigma)(random);
    return std::exp(at);
  };
}
inline Shape flat() {
  return [](Random&, std::int64_t) { return 1.0; };
}
inline Shape noisy(double sigma) {
  return [=](Random& random, std::int64_t) { return std::max(0.02, std::normal_distribution<double>(1, sigma)(random)); };
}
// Grows over a period and falls back; each tooth is a little higher or lower than others.
inline Shape saw_tooth(std::int64_t period, double height, double jitter) {
  return [=, top = 1.0](Random& random, std::int64_t at) mutable {
    if (at % period == 0) top = std::max(0.1, std::normal_distribution<double>(1, jitter)(random));
    return 1 + height * top * static_cast<double>(at % period) / static_cast<double>(period);
  };
}
// Samples that catch a step at any moment: between what is always there and all activations.
inline Shape anywhere_in_a_step(double height) {
  return [=](Random& random, std::int64_t) { return 1 + height * std::uniform_real_distribution<double>(0, 1)(random); };
}

struct SyntheticOptions {
  Noise step_noise = gaussian(0.05);
  Shape activations = flat();
  double step_ms = 20;
  Noise loader_share = [](Random&) { return 0.01; };
  int slow_start = 0;  // samples at the start that take five times as long, then less and less
  std::int64_t samples_per_epoch = 500;
  double eviction_chance = 0;  // of a sample to have some
};

class SyntheticRun {
 public:
  explicit SyntheticRun(SyntheticOptions options, std::uint32_t seed) : options_(std::move(options)), random_(seed) {
    sample_.device = "cpu";
    sample_.loss = 0.5;
  }

  double step_factor = 1;           // of steps from now on
  double live_factor = 1;           // of activations from now on
  double leak = 0;                  // bytes that each sample adds to gradients
  double loader_stall_ms = 0;       // added to the wait, and to the step
  std::uint64_t evicted = 0;        // in each sample, and allocated again
  std::optional<double> lost_loss;  // instead of the loss
  std::string device = "cpu";

  Sample next() {
    const auto at = ++count_;
    sample_.device = device;
    sample_.time = 0.1 * static_cast<double>(at);
    sample_.epoch = at / options_.samples_per_epoch;
    sample_.steps += 5;
    sample_.launches += 500;
    sample_.plan_runs += 5;
    double ms = options_.step_ms * options_.step_noise(random_) * step_factor;
    if (at <= options_.slow_start) ms *= 1 + 4 * static_cast<double>(options_.slow_start - at + 1) / options_.slow_start;
    sample_.loader_ms = ms * options_.loader_share(random_) + loader_stall_ms;
    sample_.step_ms = ms + loader_stall_ms;
    leaked_ += leak;
    const double activations = 40e6 * options_.activations(random_, at) * live_factor;
    const double gradients = 20e6 + leaked_;
    sample_.by_tag = {static_cast<std::size_t>(activations), 20'000'000, static_cast<std::size_t>(gradients), 20'000'000, 0, 0};
    sample_.live = 0;
    for (const std::size_t bytes : sample_.by_tag) sample_.live += bytes;
    const bool unlucky = std::bernoulli_distribution(options_.eviction_chance)(random_);
    sample_.evictions += evicted + (unlucky ? 3 : 0);
    sample_.allocations += evicted + (unlucky ? 3 : 0);
    sample_.reuses += 100;
    sample_.loss = lost_loss ? *lost_loss : 0.5 + 0.01 * std::normal_distribution<double>()(random_);
    return sample_;
  }
  double live() const { return static_cast<double>(sample_.live); }

 private:
  SyntheticOptions options_;
  Random random_;
  Sample sample_;
  std::int64_t count_ = 0;
  double leaked_ = 0;
};

}  // namespace tidepool::inline v0::monitor
