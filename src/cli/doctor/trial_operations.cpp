// A few operations of each kind. The conformance tests know all of them; these are for machines that have no tests.
#include <tidepool/tidepool.h>

#include <random>

#include "cli/doctor/trial.h"

namespace tidepool::cli {

namespace {

constexpr double exact = 0, close = 1e-5, summed = 1e-4;

// The same numbers on every machine, which std::uniform_real_distribution does not promise.
Tensor uniform(const Shape& shape, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (float& value : values) value = low + (high - low) * static_cast<float>(random() >> 8) / static_cast<float>(1U << 24);
  return from_host(values, shape);
}

Tensor labels(std::int64_t count, std::int32_t classes) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<std::int32_t>(i * 7 % classes));
  return from_host(values, {count});
}

// The gradients of a sum of squares, one after the other.
Tensor gradients(const Tensor& y, std::initializer_list<Tensor> of) {
  sum(square(y)).backward();
  std::vector<Tensor> parts;
  for (const Tensor& tensor : of) parts.push_back(tensor.grad().flatten());
  return concat(parts, 0);
}

Tensor convolution_gradients() {
  const Tensor x = uniform({2, 3, 9, 9}, 1).requires_grad(), w = uniform({5, 3, 3, 3}, 2).requires_grad();
  return gradients(conv2d(x, w, {}, {.stride = 2, .padding = 1}), {x, w});
}

Tensor product_gradients() {
  const Tensor a = uniform({33, 47}, 1).requires_grad(), b = uniform({47, 29}, 2).requires_grad();
  return gradients(matmul(a, b), {a, b});
}

// Three steps, and all parameters after them.
Tensor training_steps() {
  manual_seed(7);
  nn::Sequential net{nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), nn::Linear(64, 10)};
  optim::SGD opt(net.parameters(), {.lr = 0.05, .momentum = 0.9});
  const Tensor x = uniform({16, 1, 8, 8}, 3), y = labels(16, 10);
  for (int step = 0; step < 3; ++step) {
    opt.zero_grad();
    cross_entropy(net(x), y).backward();
    opt.step();
  }
  const NoGrad no_grad;
  std::vector<Tensor> parts;
  for (const Tensor& parameter : net.parameters()) parts.push_back(parameter.flatten());
  return concat(parts, 0);
}

Tensor random_numbers() {
  manual_seed(11);
  return concat({rand({1000}), randn({1000})}, 0);
}

Tensor planned() {
  const Tensor x = uniform({300}, 1);
  Tensor total = zeros({300});
  const Plan plan = capture([&] { copy_(total, total + tanh(x)); });
  for (int i = 0; i < 5; ++i) plan.run();
  return total;
}

const TrialOperation operations[] = {
    {"add", exact,
     [] {
       return uniform({33, 65}, 1) + uniform({65}, 2);
     }},
    {"div", close, [] { return uniform({4097}, 1) / uniform({4097}, 2, 1, 2); }},
    {"exp", close, [] { return exp(uniform({4097}, 1, -5, 5)); }},
    {"tanh", close, [] { return tanh(uniform({4097}, 1, -5, 5)); }},
    {"gelu", close, [] { return gelu(uniform({4097}, 1, -5, 5)); }},
    {"where", exact, [] { return where(gt(uniform({511}, 1), 0.0F), uniform({511}, 2), uniform({511}, 3)); }},
    {"sum", summed,
     [] {
       return sum(uniform({17, 130, 9}, 1), 1);
     }},
    {"mean", close, [] { return mean(uniform({100'000}, 1)); }},
    {"max", exact,
     [] {
       return (max)(uniform({40, 300}, 1), 1);
     }},
    {"var", close,
     [] {
       return var(uniform({40, 300}, 1), 1);
     }},
    {"argmax", exact,
     [] {
       return argmax(uniform({40, 300}, 1), 1).to(DType::f32);
     }},
    {"softmax", close,
     [] {
       return softmax(uniform({33, 500}, 1, -4, 4), 1);
     }},
    {"log_softmax", close,
     [] {
       return log_softmax(uniform({33, 500}, 1, -4, 4), 1);
     }},
    {"layer_norm", summed,
     [] {
       return layer_norm(uniform({20, 96}, 1), uniform({96}, 2), uniform({96}, 3));
     }},
    {"matmul", summed,
     [] {
       return matmul(uniform({130, 257}, 1), uniform({257, 67}, 2));
     }},
    {"matmul in batches", summed,
     [] {
       return matmul(uniform({3, 20, 64}, 1), uniform({3, 64, 31}, 2));
     }},
    {"matmul's gradients", summed, product_gradients},
    {"linear", summed,
     [] {
       return linear(uniform({32, 100}, 1), uniform({70, 100}, 2), uniform({70}, 3), Activation::relu);
     }},
    {"conv2d", summed,
     [] {
       return conv2d(uniform({2, 8, 17, 17}, 1), uniform({12, 8, 3, 3}, 2), uniform({12}, 3), {.padding = 1});
     }},
    {"conv2d's gradients", summed, convolution_gradients},
    {"conv2d_transpose", summed,
     [] {
       return conv2d_transpose(uniform({2, 6, 7, 7}, 1), uniform({6, 4, 3, 3}, 2), {}, {.stride = 2});
     }},
    {"max_pool2d", exact,
     [] {
       return max_pool2d(uniform({2, 3, 12, 12}, 1));
     }},
    {"avg_pool2d", close,
     [] {
       return avg_pool2d(uniform({2, 3, 12, 12}, 1));
     }},
    {"cross_entropy", close,
     [] {
       return cross_entropy(uniform({64, 10}, 1, -3, 3), labels(64, 10));
     }},
    {"permute", exact,
     [] {
       return permute(uniform({5, 6, 7}, 1), {2, 0, 1});
     }},
    {"concat", exact,
     [] {
       return concat({uniform({5, 6}, 1), uniform({3, 6}, 2)}, 0);
     }},
    {"embedding", exact,
     [] {
       return embedding(uniform({50, 16}, 1), labels(90, 50));
     }},
    {"one_hot", exact, [] { return one_hot(labels(90, 50), 50); }},
    {"f16 and back", exact, [] { return uniform({777}, 1).to(DType::f16).to(DType::f32); }},
    {"u8 and back", exact, [] { return uniform({777}, 1, 0, 255).to(DType::u8).to(DType::f32); }},
    {"random numbers", close, random_numbers},
    {"a plan", close, planned},
    {"training steps", 1e-3, training_steps},
};

}  // namespace

std::span<const TrialOperation> trial_operations() { return operations; }

}  // namespace tidepool::cli
