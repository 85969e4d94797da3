// A training step of two layers, called as it stands and run from a plan.
#include <tidepool/tidepool.h>

#include "bench/bench.h"

#include <array>

namespace tidepool::bench {

namespace {

struct Parameter {
  explicit Parameter(const Shape& shape) : value(full(shape, 0.1F)), mean(zeros(shape)), square(zeros(shape)) { value.requires_grad(); }
  Tensor value, mean, square;
};

struct TwoLayers {
  static constexpr std::int64_t batch = 64, inputs = 16, hidden = 64;
  Tensor x = full({batch, inputs}, 0.5F), y = zeros({batch, 1});
  std::array<Parameter, 4> parameters{Parameter(Shape{inputs, hidden}), Parameter(Shape{hidden}), Parameter(Shape{hidden, 1}),
                                      Parameter(Shape{1})};

  void step() {
    Tidy scope;
    const auto& [w1, b1, w2, b2] = parameters;
    const Tensor inner = relu(matmul(x, w1.value) + b1.value);
    const Tensor loss = mean(square(matmul(inner, w2.value) + b2.value - y));
    loss.backward();
    const NoGrad guard;
    for (const Parameter& p : parameters) {
      raw::adam_step(p.value, p.value.grad(), p.mean, p.square, {.lr = 1e-3});
      p.value.zero_grad();
    }
  }
};

void eager(State& state) {
  TwoLayers net;
  net.step();
  sync();
  for (auto _ : state) {
    net.step();
    commit();
  }
  sync();
}

void planned(State& state) {
  TwoLayers net;
  net.step();  // gradients exist from now on
  sync();
  const Plan plan = capture([&] { net.step(); });
  for (auto _ : state) plan.run();
  sync();
  state.counters["launches"] = static_cast<double>(plan.launches());
}

}  // namespace

void add_plan(Suite& suite) {
  suite.add("two-layer step/eager", eager);
  suite.add("two-layer step/plan", planned);
}

}  // namespace tidepool::bench
