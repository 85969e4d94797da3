// Training steps: the smallest against the same by hand, the largest against the bare primitives that it needs.
#include "bench/bare_conv.h"
#include "bench/gate.h"
#include "bench/train_step.h"
#include "platform/system.h"

#include <array>
#include <cmath>

namespace tidepool::gates {

namespace {

// 2-8-1, tanh and sigmoid, mean square error, Adam: plain loops over arrays, as one would write them for this network alone.
class XorByHand {
 public:
  XorByHand() {
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = 0.1F * static_cast<float>(i % 7) - 0.3F;
  }

  void step() {
    std::array<float, 33> g{};
    for (std::size_t s = 0; s < 4; ++s) {
      std::array<float, 8> hidden;
      float out = w_[32];
      for (std::size_t j = 0; j < 8; ++j) {
        hidden[j] = std::tanh(x_[2 * s] * w_[2 * j] + x_[2 * s + 1] * w_[2 * j + 1] + w_[16 + j]);
        out += hidden[j] * w_[24 + j];
      }
      const float y = 1.0F / (1.0F + std::exp(-out));
      const float dout = 2.0F / 4.0F * (y - target_[s]) * y * (1.0F - y);
      g[32] += dout;
      for (std::size_t j = 0; j < 8; ++j) {
        g[24 + j] += dout * hidden[j];
        const float dhidden = dout * w_[24 + j] * (1.0F - hidden[j] * hidden[j]);
        g[2 * j] += dhidden * x_[2 * s];
        g[2 * j + 1] += dhidden * x_[2 * s + 1];
        g[16 + j] += dhidden;
      }
    }
    power1_ *= 0.9F;
    power2_ *= 0.999F;
    const float size = 1e-3F / (1.0F - power1_), correction = 1.0F / std::sqrt(1.0F - power2_);
    for (std::size_t i = 0; i < w_.size(); ++i) {
      m_[i] = 0.9F * m_[i] + 0.1F * g[i];
      v_[i] = 0.999F * v_[i] + 0.001F * g[i] * g[i];
      w_[i] -= size * m_[i] / (std::sqrt(v_[i]) * correction + 1e-8F);
    }
    use(w_.data());
  }

 private:
  std::array<float, 8> x_{0, 0, 0, 1, 1, 0, 1, 1};
  std::array<float, 4> target_{0, 1, 1, 0};
  std::array<float, 33> w_{}, m_{}, v_{};
  float power1_ = 1, power2_ = 1;
};

}  // namespace

Measured measure_xor_step() {
  bench::TrainStep ours = bench::xor_step();
  XorByHand by_hand;
  return compare(
      200, [&] { ours.run(); }, [&] { by_hand.step(); });
}

#ifdef TIDEPOOL_ONEDNN

// Against one product with as many multiplications, of the kind that the machine does best.
Measured measure_mlp_step() {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return {.skipped = "there is no oneDNN to compare with"};
  bench::TrainStep ours = bench::mlp_step();
  const OneDnnThreads threads(usable_cores());
  // Forward, the weights' gradients, the inputs' but the first: 128 · (2 · 784 · 256 + 3 · 256 · 128 + 3 · 128 · 10).
  constexpr std::int64_t side = 512, depth = 128 * (2 * 784 * 256 + 3 * 256 * 128 + 3 * 128 * 10) / (side * side);
  const std::vector<float> a(side * depth, 0.5F), b(depth * side, 0.5F);
  std::vector<float> c(side * side);
  return compare_near(
      2, [&] { ours.run(); },
      [&] {
        dnn->sgemm('N', 'N', side, side, depth, 1.0F, a.data(), depth, b.data(), side, 0.0F, c.data(), side);
        use(c.data());
      });
}

Measured measure_cnn_step() {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return {.skipped = "there is no oneDNN to compare with"};
  bench::TrainStep ours = bench::cnn_step();
  BareConv first(*dnn, {.n = 64, .c = 1, .o = 32, .side = 28, .input_gradient = false}),
      second(*dnn, {.n = 64, .c = 32, .o = 64, .side = 14});
  const OneDnnThreads threads(usable_cores());
  const std::vector<float> x(std::size_t{64} * 3136, 0.5F), w(std::size_t{128} * 3136, 0.5F), y(std::size_t{64} * 128, 0.5F);
  std::vector<float> out(std::size_t{128} * 3136);
  const auto product = [&](char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b) {
    dnn->sgemm(ta, tb, m, n, k, 1.0F, a, ta == 'T' ? m : k, b, tb == 'T' ? k : n, 0.0F, out.data(), n);
    use(out.data());
  };
  return compare_near(
      1, [&] { ours.run(); },
      [&] {
        first.run();
        second.run();
        product('N', 'T', 64, 128, 3136, x.data(), w.data());
        product('N', 'N', 64, 3136, 128, y.data(), w.data());
        product('T', 'N', 128, 3136, 64, y.data(), x.data());
        product('N', 'T', 64, 10, 128, y.data(), w.data());
        product('N', 'N', 64, 128, 10, x.data(), w.data());
        product('T', 'N', 10, 128, 64, x.data(), y.data());
      });
}

#else

Measured measure_mlp_step() { return {.skipped = "built without oneDNN"}; }
Measured measure_cnn_step() { return {.skipped = "built without oneDNN"}; }

#endif

}  // namespace tidepool::gates
