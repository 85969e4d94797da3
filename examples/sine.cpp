// A sine over two periods, learned from 10,000 samples and drawn as sine.svg.
#include <tidepool/tidepool.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>

namespace tp = tidepool;

namespace {

// Each value becomes a point of a line, from left to right.
std::string line(const char* colour, int width, const std::vector<float>& values) {
  std::string points;
  for (std::size_t i = 0; i < values.size(); i += 25)
    points += std::to_string(i * 800 / values.size()) + "," + std::to_string(200 - 150 * values[i]) + " ";
  return "<polyline fill='none' stroke='" + std::string(colour) + "' stroke-width='" + std::to_string(width) + "' points='" + points +
         "'/>\n";
}

}  // namespace

int main() {
  std::vector<float> x, y;
  for (int i = 0; i < 10'000; ++i) {
    x.push_back(static_cast<float>(2 * std::numbers::pi * (2 * i / 9999.0 - 1)));
    y.push_back(std::sin(x.back()));
  }
  const tp::Tensor inputs = tp::from_host(x, {10'000, 1}), targets = tp::from_host(y, {10'000, 1});

  tp::manual_seed(1);
  tp::nn::Sequential net{tp::nn::Linear(1, 256), tp::nn::Tanh(), tp::nn::Linear(256, 1)};
  tp::optim::Adam opt(net.parameters(), {.lr = 1e-3});
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = 100, .batch = 128, .progress = true});
  trainer.fit(tp::data::from_tensors(inputs, targets));

  const tp::NoGrad guard;
  const tp::Tensor said = net(inputs);
  const double error = static_cast<double>(tp::mse_loss(said, targets).item());
  std::printf("mean square error %.2g\n", error);
  std::ofstream("sine.svg") << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 800 400'>\n"
                            << line("#9bb", 6, y) << line("#c33", 2, said.to_host<float>()) << "</svg>\n";
  return error <= 1e-3 ? 0 : 1;
}
