#include "works.h"

#include <tidepool/tidepool.h>

#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace tp = tidepool;

namespace compare {

namespace {

using Loss = tp::Tensor (*)(const tp::Tensor&, const tp::Tensor&);

// A step of Adam, recorded once.
class Training {
 public:
  Training(tp::nn::Sequential net, Loss loss, tp::Tensor x, tp::Tensor y)
      : net_(std::move(net)), loss_function_(loss), x_(std::move(x)), y_(std::move(y)), optimizer_(net_.parameters(), {.lr = 1e-3}) {
    step();
    plan_ = tp::capture([this] { step(); });
  }
  void run(long repetitions) const {
    for (long i = 0; i < repetitions; ++i) plan_.run();
    loss_.item();
  }

 private:
  void step() {
    optimizer_.zero_grad();
    loss_ = loss_function_(net_(x_), y_);
    loss_.backward();
    optimizer_.step();
  }

  tp::nn::Sequential net_;
  Loss loss_function_;
  tp::Tensor x_, y_, loss_;
  tp::optim::Adam optimizer_;
  tp::Plan plan_;
};

Run training(tp::nn::Sequential net, Loss loss, const tp::Tensor& x, const tp::Tensor& y) {
  return [step = std::make_shared<Training>(std::move(net), loss, x, y)](long repetitions) { step->run(repetitions); };
}

tp::Tensor labels(std::int64_t count) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::int32_t>(i % 10));
  return tp::from_host(values, {count});
}

tp::nn::Sequential cnn_network() {  // as in examples/fashion_mnist.cpp
  return tp::nn::Sequential{tp::nn::Conv2d(1, 32, {.kernel = 3, .padding = 1}),
                            tp::nn::ReLU(),
                            tp::nn::MaxPool2d(2),
                            tp::nn::Conv2d(32, 64, {.kernel = 3, .padding = 1}),
                            tp::nn::ReLU(),
                            tp::nn::MaxPool2d(2),
                            tp::nn::Flatten(),
                            tp::nn::Linear(3136, 128),
                            tp::nn::ReLU(),
                            tp::nn::Linear(128, 10)};
}

Run xor_step() {
  tp::nn::Sequential net{tp::nn::Linear(2, 8), tp::nn::Tanh(), tp::nn::Linear(8, 1), tp::nn::Sigmoid()};
  return training(net, tp::mse_loss, tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tp::tensor({0, 1, 1, 0}, {4, 1}));
}

Run sine_step() {
  const tp::Tensor x = tp::rand({128, 1}) * 12.0F - 6.0F;
  return training(tp::nn::Sequential{tp::nn::Linear(1, 256), tp::nn::Tanh(), tp::nn::Linear(256, 1)}, tp::mse_loss, x, tp::sin(x));
}

Run mlp_step() {
  tp::nn::Sequential net{tp::nn::Linear(784, 256), tp::nn::ReLU(), tp::nn::Linear(256, 128), tp::nn::ReLU(), tp::nn::Linear(128, 10)};
  return training(net, tp::cross_entropy, tp::rand({128, 784}), labels(128));
}

Run cnn_step(std::int64_t batch) { return training(cnn_network(), tp::cross_entropy, tp::rand({batch, 1, 28, 28}), labels(batch)); }

Run dense_step(std::int64_t inputs, std::int64_t width, std::int64_t depth, std::int64_t batch) {
  tp::nn::Sequential net;
  for (std::int64_t i = 0; i < depth; ++i) net.add(tp::nn::Linear(i == 0 ? inputs : width, width)).add(tp::nn::ReLU());
  net.add(tp::nn::Linear(width, 10));
  return training(net, tp::cross_entropy, tp::rand({batch, inputs}), labels(batch));
}

// Results of a function, recorded once; the last is read.
Run results(const std::function<std::vector<tp::Tensor>()>& function) {
  function();
  auto last = std::make_shared<std::vector<tp::Tensor>>();
  const tp::Plan plan = tp::capture([&] { *last = function(); });
  return [plan, last](long repetitions) {
    for (long i = 0; i < repetitions; ++i) plan.run();
    tp::sync();
  };
}

Run chain() {
  const tp::Tensor x = tp::rand({1 << 20}) * 2.0F - 1.0F;
  return results([x] {
    const tp::NoGrad none;
    const tp::Tensor bent = tp::relu(x * 1.5F + 0.5F) * x;
    const tp::Tensor rooted = tp::sqrt(tp::abs(bent - 0.25F));
    return std::vector{tp::tanh(rooted) * 0.9F + x};
  });
}

Run means() {
  std::vector<tp::Tensor> arrays;
  for (int i = 0; i < 10; ++i) arrays.push_back(tp::rand({1 << 18}));
  return results([arrays] {
    const tp::NoGrad none;
    std::vector<tp::Tensor> means;
    for (const tp::Tensor& array : arrays) means.push_back(tp::mean(tp::square(array)));
    return means;
  });
}

Run matmul() {
  const tp::Tensor a = tp::rand({512, 512}), b = tp::rand({512, 512});
  return results([a, b] {
    const tp::NoGrad none;
    return std::vector{tp::matmul(a, b)};
  });
}

// One picture from the host, ten numbers back.
Run inference() {
  struct Network {
    tp::nn::Sequential net = cnn_network();
    tp::Tensor x = tp::zeros({1, 1, 28, 28}), y;
    std::vector<float> picture = tp::rand({784}).to_host<float>();
    std::array<float, 10> result{};
    tp::Plan plan;
  };
  auto network = std::make_shared<Network>();
  network->net.eval();
  const tp::NoGrad none;
  network->y = network->net(network->x);
  network->plan = tp::capture([&] { network->y = network->net(network->x); });
  return [network](long repetitions) {
    for (long i = 0; i < repetitions; ++i) {
      network->x.copy_from(network->picture);
      network->plan.run();
      network->y.copy_to(network->result);
    }
  };
}

}  // namespace

Run prepare(const std::string& work) {
  tp::manual_seed(1);
  std::istringstream words(work);
  std::string name;
  words >> name;
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; words >> number;) numbers.push_back(number);

  const std::map<std::string, std::function<Run()>> works{
      {"xor", xor_step}, {"sine", sine_step}, {"mlp", mlp_step},        {"cnn", [] { return cnn_step(64); }},
      {"chain", chain},  {"means", means},    {"inference", inference}, {"matmul", matmul}};
  Run run;
  if (const auto found = works.find(name); found != works.end() && numbers.empty())
    run = found->second();
  else if (name == "cnn" && numbers.size() == 1)
    run = cnn_step(numbers[0]);
  else if (name == "dense" && numbers.size() == 4)
    run = dense_step(numbers[0], numbers[1], numbers[2], numbers[3]);
  else
    throw std::invalid_argument("unknown work '" + work + "'");
  run(1);
  return run;
}

Epoch fashion_epoch() {
  tp::manual_seed(1);
  const auto normalized = [](const tp::data::Dataset& pictures) { return pictures.normalized(0.286, 0.353); };
  const tp::data::Dataset train = normalized(tp::data::fashion_mnist_train()), test = normalized(tp::data::fashion_mnist_test());
  tp::nn::Sequential net = cnn_network();
  tp::optim::Adam optimizer(net.parameters(), {.lr = 1e-3});
  tp::Trainer trainer(net, optimizer, tp::cross_entropy, {.epochs = 1, .batch = 64});
  return {.accuracy = trainer.fit(train, test).epochs.back().test_accuracy};
}

}  // namespace compare
