#include "bench/tune.h"

#include <tidepool/tidepool.h>

#include "device/tuning_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tidepool::bench {

namespace {

constexpr std::size_t rounds = 7;
constexpr double worth = 0.95;  // of the time: a smaller gain is noise, and the usual stays

using Work = std::function<void()>;

Work product(const Device& device, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Tensor a = full({m, k}, 0.5F, {.device = device}), b = full({k, n}, 0.5F, {.device = device});
  return [=] { const Tensor c = matmul(a, b); };
}

struct ConvSize {
  std::int64_t images, in, out, side;
};

Work convolution(const Device& device, GpuWork work, const ConvSize& s) {
  const auto tensor = [&](const Shape& shape) { return full(shape, 0.5F, {.device = device}); };
  const Tensor x = tensor({s.images, s.in, s.side, s.side}), w = tensor({s.out, s.in, 3, 3});
  const Tensor y = tensor({s.images, s.out, s.side, s.side});
  if (work == GpuWork::conv) return [=] { const Tensor made = conv2d(x, w, {}, {.padding = 1}); };
  if (work == GpuWork::conv_input) return [=] { raw::conv2d_bwd_input(y, w, {.padding = 1}, x); };
  return [=] { raw::conv2d_bwd_weights(y, x, {.padding = 1}, w); };
}

// Some of each kind and amount: results below Tuning::many, and from there on.
std::vector<Work> works(const Device& device, GpuWork work, bool many) {
  if (work == GpuWork::product)
    return many ? std::vector{product(device, 256, 256, 256), product(device, 512, 256, 64), product(device, 256, 256, 1024)}
                : std::vector{product(device, 64, 64, 64), product(device, 64, 64, 4096), product(device, 128, 10, 784)};
  std::vector<ConvSize> sizes;
  if (work == GpuWork::conv_weights)  // its results are the weights
    sizes = many ? std::vector<ConvSize>{{4, 96, 96, 8}, {2, 128, 64, 16}} : std::vector<ConvSize>{{16, 8, 16, 16}, {4, 16, 32, 16}};
  else
    sizes = many ? std::vector<ConvSize>{{16, 16, 16, 20}, {32, 16, 32, 16}} : std::vector<ConvSize>{{1, 8, 16, 16}, {4, 16, 16, 16}};
  std::vector<Work> all;
  for (const ConvSize& size : sizes) all.push_back(convolution(device, work, size));
  return all;
}

double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  sync();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// One row of the table.
class Row {
 public:
  Row(const Device& device, GpuWork work, std::size_t amount)
      : stream_(device.slot().stream()),
        work_(static_cast<std::size_t>(work)),
        amount_(amount),
        works_(works(device, work, amount == 1)),
        usual_(usual_tuning(stream_->info())) {}
  ~Row() { use(usual_.rules[work_][amount_]); }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  ProductRule best() {
    ProductRule best = usual_.rules[work_][amount_];
    if (has_lanes(stream_->info())) best = best_of({best, tiles_or_lanes(!best.lanes)});
    if (work_ == static_cast<std::size_t>(GpuWork::conv) || work_ == static_cast<std::size_t>(GpuWork::conv_input)) return best;
    best = best_of(varied(best, &ProductRule::enough));
    return best_of(varied(best, &ProductRule::shortest));
  }

 private:
  ProductRule tiles_or_lanes(bool lanes) const {
    BackendInfo info = stream_->info();
    if (!lanes) info.lanes = 0;  // as a device without them has it
    return usual_tuning(info).rules[work_][amount_];
  }
  // A quarter and four times of it, too.
  static std::vector<ProductRule> varied(const ProductRule& rule, std::uint32_t ProductRule::*number) {
    std::vector<ProductRule> all(3, rule);
    all[1].*number = std::max(1U, rule.*number / 4);
    all[2].*number = rule.*number * 4;
    return all;
  }
  // In turn, so that whatever else the machine does meets all alike. The first is what there is now.
  ProductRule best_of(const std::vector<ProductRule>& rules) {
    std::vector<std::vector<std::vector<double>>> samples(rules.size(), std::vector<std::vector<double>>(works_.size()));
    for (std::size_t round = 0; round <= rounds; ++round)
      for (std::size_t r = 0; r < rules.size(); ++r) {
        use(rules[r]);
        for (std::size_t i = 0; i < works_.size(); ++i)
          if (const double seconds = seconds_of(works_[i]); round > 0) samples[r][i].push_back(seconds);  // the first warms up
      }
    std::size_t best = 0;
    double least = std::log(worth);
    for (std::size_t r = 1; r < rules.size(); ++r) {
      double log_ratio = 0;
      for (std::size_t i = 0; i < works_.size(); ++i) log_ratio += std::log(median(samples[r][i]) / median(samples[0][i]));
      if (log_ratio / static_cast<double>(works_.size()) >= least) continue;
      least = log_ratio / static_cast<double>(works_.size());
      best = r;
    }
    return rules[best];
  }
  void use(const ProductRule& rule) {
    Tuning tuning = usual_;
    tuning.rules[work_][amount_] = rule;
    const StreamLock lock(*stream_);
    stream_->set_tuning(tuning);
  }

  std::shared_ptr<Stream> stream_;
  std::size_t work_, amount_;
  std::vector<Work> works_;
  Tuning usual_;
};

}  // namespace

Tuning measure_tuning(const Device& device, const std::function<void(const std::string&)>& say) {
  Tuning tuning = usual_tuning(device.slot().stream()->info());
  for (std::size_t work = 0; work < tuning.rules.size(); ++work)
    for (std::size_t amount = 0; amount < tuning.rules[work].size(); ++amount) {
      const ProductRule usual = tuning.rules[work][amount];
      const ProductRule best = Row(device, static_cast<GpuWork>(work), amount).best();
      tuning.rules[work][amount] = best;
      say(rule_text(work, amount, best) + (best == usual ? "" : "   (usually " + rule_text(work, amount, usual) + ")"));
    }
  return tuning;
}

}  // namespace tidepool::bench
