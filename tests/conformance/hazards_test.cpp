// The barriers of every operation, forward and backward, launched at once and in plans: the model must find nothing amiss, and
// miss each barrier that is deleted. What is looked at is what reaches the backend.
#include <gtest/gtest.h>

#include <memory>

#include "conformance/cases.h"
#include "conformance/checks.h"
#include "support/devices.h"
#include "support/hazard_model.h"
#include "support/keeping_backend.h"
#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/vulkan_backend.h"
#endif

namespace tidepool::conformance {
namespace {

std::unique_ptr<Backend> open_plainly(const std::string& id) {
#ifdef TIDEPOOL_VULKAN
  if (id == "vulkan:0") return open_vulkan(0);
#endif
  return std::make_unique<NullBackend>();
}

// While it lives, all launches on the device are kept.
class Keeping {
 public:
  explicit Keeping(const std::string& id) : id_(id) {
    slot_for(id).replace_open([this] { return std::make_unique<KeepingBackend>(open_plainly(id_), kept); });
    reset(device(id));
  }
  ~Keeping() {
    slot_for(id_).replace_open([id = id_] { return open_plainly(id); });
    reset(device(id_));
  }
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

  KeepingBackend::Kept kept;

 private:
  std::string id_;
};

void launch_forward_and_backward(const OpCases& cases, const Case& c, const Device& on) {
  Inputs in(on, c, cases.kinks);
  const Tensor result = cases.make(in, c);
  const bool gradients = has_gradients(cases, c);
  Tensor seed;
  if (gradients) {
    seed = in.seed_like(result);
    result.backward(seed);
  }
  sync();
  Tensor captured;
  const Plan plan = capture([&] {
    in.rewind();
    captured = cases.make(in, c);
    if (gradients) captured.backward(seed);
    captured = captured.clone();  // a view alone launches nothing, which is no plan
  });
}

class ConformanceHazards : public OnEveryDevice {};

TEST_P(ConformanceHazards, EveryOperationIsKeptApartAndNoBarrierIsNeedless) {
  set_default_device(device("cpu"));
  Keeping keeping(id());
  std::ptrdiff_t placed = 0;
  for (const OpCases& cases : all_cases())
    for (const Case& c : cases.over) {
      if (!applies(cases, c, device(id()))) continue;
      keeping.kept.sequences.clear();
      launch_forward_and_backward(cases, c, device(id()));
      for (const std::vector<Launch>& launches : keeping.kept.sequences) {
        EXPECT_EQ(find_hazard(launches), std::nullopt) << name_of(cases) << ' ' << describe(c);
        EXPECT_EQ(find_needless_barrier(launches), std::nullopt) << name_of(cases) << ' ' << describe(c);
        placed += barriers(launches);
      }
    }
  EXPECT_GT(placed, 1000) << "barriers in all: were the launches kept?";
}

// What has no cases: updates in place, random numbers, and values that are asked for in between.
void train_two_steps(optim::Optimizer& optimizer, nn::Module& net, const Tensor& x) {
  const auto step = [&] {
    optimizer.zero_grad();
    mean(square(net(x + randn(x.shape(), {.device = x.device()})))).backward();
    optim::clip_grad_norm(optimizer.parameters(), 1.0);
    optimizer.step();
  };
  step();
  sync();
  const Plan plan = capture(step);
}

TEST_P(ConformanceHazards, EveryOptimizerIsToo) {
  Keeping keeping(id());
  const auto expect_order = [&](const auto& make_optimizer) {
    nn::Sequential net(nn::Linear(6, 8), nn::Dropout(0.5), nn::Linear(8, 3));
    const auto optimizer = make_optimizer(net.parameters());
    keeping.kept.sequences.clear();
    train_two_steps(*optimizer, net, ones({4, 6}));
    std::ptrdiff_t placed = 0;
    for (const std::vector<Launch>& launches : keeping.kept.sequences) {
      EXPECT_EQ(find_hazard(launches), std::nullopt) << optimizer->name();
      EXPECT_EQ(find_needless_barrier(launches), std::nullopt) << optimizer->name();
      placed += barriers(launches);
    }
    EXPECT_GT(placed, 10) << optimizer->name();
  };
  using Tensors = std::vector<Tensor>;
  expect_order([](const Tensors& p) { return std::make_unique<optim::SGD>(p, optim::SGDOptions{.momentum = 0.9}); });
  expect_order([](const Tensors& p) { return std::make_unique<optim::Adam>(p); });
  expect_order([](const Tensors& p) { return std::make_unique<optim::AdamW>(p); });
  expect_order([](const Tensors& p) { return std::make_unique<optim::RMSprop>(p, optim::RMSpropOptions{.momentum = 0.9}); });
}

INSTANTIATE_TEST_SUITE_P(On, ConformanceHazards, testing::Values("null", "vulkan:0"), device_name);

}  // namespace
}  // namespace tidepool::conformance
