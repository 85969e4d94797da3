#include "train/steps.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/memory.h>
#include <tidepool/ops.h>
#include <tidepool/raw.h>

#include "core/node.h"
#include "core/transfer.h"
#include "device/plan.h"
#include "nn/state.h"
#include "ops/loss/tally.h"
#include "ops/random/batch_window.h"
#include "optim/state.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

enum Place : std::int64_t { loss_place = 0, correct_place = 1 };
constexpr int most_captures = 4;  // of one step's plan, which another thread may drop before it runs

Tensor raw_batch(const Shape& sample, DType type, std::int64_t rows, const Device& device) {
  return keep(empty(data::batch_shape(rows, sample), {.dtype = type, .device = device}));  // written before it is read
}

bool holds(const Tensor& batch, const Shape& sample, DType type, std::int64_t rows) {
  return batch.dtype() == type && batch.shape()[0] >= rows && batch.shape() == data::batch_shape(batch.shape()[0], sample);
}

}  // namespace

Steps::Steps(nn::Module& net, optim::Optimizer& optimizer, Trainer::Loss loss, double clip_norm)
    : net_(net), optimizer_(optimizer), loss_(std::move(loss)), clip_norm_(clip_norm) {}

Device Steps::device() const { return optimizer_.parameters()[0].device(); }

void Steps::use(Kind kind, const data::Dataset& dataset, std::int64_t capacity) {
  if (x_.defined() && !(x_.device() == device())) forget();
  if (x_.defined() &&
      (!holds(x_, dataset.x_shape(), dataset.x_dtype(), capacity) || !holds(y_, dataset.y_shape(), dataset.y_dtype(), capacity)))
    forget_batch();
  data::Dataset& known = datasets_[kind];
  if (known.mean() != dataset.mean() || known.deviation() != dataset.deviation()) plans_.clear();
  known = dataset;
  if (!x_.defined()) {
    x_ = raw_batch(dataset.x_shape(), dataset.x_dtype(), capacity, device());
    y_ = raw_batch(dataset.y_shape(), dataset.y_dtype(), capacity, device());
  }
  if (Tensor& sums = sums_[kind]; !sums.defined()) sums = keep(zeros({2}, {.device = device()}));
  if (micro_ == 0) micro_ = capacity;
}

void Steps::forget() {
  forget_batch();
  sums_.clear();
}

void Steps::forget_batch() {
  forget_plans();
  x_ = y_ = {};
}

void Steps::forget_plans() {
  plans_.clear();
  confusion_ = {};
}

bool Steps::others_train() const { return !std::ranges::equal(trains_, optimizer_.parameters(), {}, {}, &Tensor::wants_grad); }

void Steps::set_micro(std::int64_t samples) {
  if (samples == micro_) return;
  micro_ = samples;
  plans_.clear();
}

void Steps::upload(const data::HostBatch& batch) {
  upload_bytes("fit", x_, batch.x);
  upload_bytes("fit", y_, batch.y);
}

Tensor Steps::input(Kind kind, std::int64_t begin, std::int64_t end) const {
  return data::prepared(x_.slice(begin, end), datasets_.at(kind));
}
Tensor Steps::target(std::int64_t begin, std::int64_t end) const { return y_.slice(begin, end); }

bool Steps::has_labels(Kind kind) const {
  const data::Dataset& dataset = datasets_.at(kind);
  return dataset.y_dtype() == DType::i32 && dataset.y_shape().rank() == 0;
}

void Steps::count_result(Kind kind, const Tensor& prediction, const Tensor& loss, std::int64_t begin, std::int64_t end) {
  const auto rows = static_cast<double>(end - begin);
  const Tensor& sums = sums_.at(kind);
  tally(sums, loss_place, loss.detach(), rows);
  if (has_labels(kind) && prediction.shape().rank() == 2)
    tally(sums, correct_place, accuracy(prediction.detach(), target(begin, end)), rows);
}

void Steps::train_on(std::int64_t begin, std::int64_t end, std::int64_t rows) {
  const Tidy scope;
  const Tensor prediction = net_(input(Kind::train, begin, end)), loss = loss_(prediction, target(begin, end));
  count_result(Kind::train, prediction, loss, begin, end);
  // The mean over the batch is the mean of the parts' means, each by its share.
  if (end - begin == rows)
    loss.backward();
  else
    (loss * (static_cast<float>(end - begin) / static_cast<float>(rows))).backward();
}

void Steps::evaluate_on(std::int64_t begin, std::int64_t end) {
  const Tidy scope;
  const NoGrad guard;
  const Tensor prediction = net_(input(Kind::evaluate, begin, end)), loss = loss_(prediction, target(begin, end));
  count_result(Kind::evaluate, prediction, loss, begin, end);
  if (confusion_.defined()) raw::update_confusion_matrix(argmax(prediction, 1), target(begin, end), confusion_);
}

// As many classes as the network tells apart, which may be more than the samples have.
void Steps::make_confusion() {
  if (confusion_.defined() || !has_labels(Kind::evaluate)) return;
  std::int64_t classes = 0;
  const Plan unused = capture([&] {
    const Tidy scope;
    const NoGrad guard;
    const Tensor prediction = net_(input(Kind::evaluate, 0, 1));
    if (prediction.shape().rank() == 2) classes = prediction.shape()[1];
  });
  if (classes > 0) confusion_ = keep(zeros({classes, classes}, {.dtype = DType::i32, .device = device()}));
}

Plan Steps::capture_step(Kind kind, std::int64_t rows) {
  const bool training = kind == Kind::train;
  const nn::TrainingScope scope(net_, training);
  if (!training) make_confusion();
  Plan plan = capture([&] {
    if (training) optimizer_.zero_grad();
    BatchWindow window;
    for (std::int64_t begin = 0; begin < rows; begin += micro_) {
      const std::int64_t end = std::min(begin + micro_, rows);
      window.at(begin, end);
      training ? train_on(begin, end, rows) : evaluate_on(begin, end);
    }
    window.finish(device());
    if (!training) return;
    if (clip_norm_ > 0) optim::clip_grad_norm(optimizer_.parameters(), clip_norm_);
    optimizer_.step();
  });
  PlanAccess::let_be_dropped(plan);
  return plan;
}

void Steps::run(Kind kind, std::int64_t rows) {
  optim::OptimizerState& state = optim::OptimizerAccess::state(optimizer_);
  state.gather();
  if (state.generation != generation_) {  // the parameters moved
    plans_.clear();
    generation_ = state.generation;
  }
  if (others_train()) {
    plans_.clear();
    trains_.clear();
    for (const Tensor& parameter : optimizer_.parameters()) trains_.push_back(parameter.wants_grad());
  }
  Plan& plan = plans_[{kind, rows}];
  for (int captures = 0; !PlanAccess::run_if_there(plan); ++captures) {
    if (captures == most_captures)
      throw OutOfMemory("fit", "others need memory so much that the step's plan was dropped each time before it could run");
    plan = capture_step(kind, rows);
  }
}

void Steps::train(std::int64_t rows) { run(Kind::train, rows); }
void Steps::evaluate(std::int64_t rows) { run(Kind::evaluate, rows); }

StepSums Steps::read_sums(Kind kind) const {
  float values[2];
  sums_.at(kind).copy_to(std::span(values));
  return {.loss = static_cast<double>(values[loss_place]), .correct = static_cast<double>(values[correct_place])};
}

void Steps::clear_sums(Kind kind) {
  zero_(sums_.at(kind));
  if (kind == Kind::evaluate && confusion_.defined()) zero_(confusion_);
}

Tensor Steps::training_sums() const { return sums_.at(Kind::train); }

std::vector<std::int32_t> Steps::read_confusion() const {
  return confusion_.defined() ? confusion_.to_host<std::int32_t>() : std::vector<std::int32_t>();
}

}  // namespace tidepool::inline v0
