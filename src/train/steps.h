// The steps of training and evaluation, each run from a plan: one for every number of samples that a batch can have.
#pragma once

#include <tidepool/run.h>
#include <tidepool/train.h>

#include "data/batches.h"

#include <map>

namespace tidepool::inline v0 {

struct StepSums {
  double loss = 0;     // of all samples
  double correct = 0;  // samples
};

class Steps {
 public:
  Steps(nn::Module& net, optim::Optimizer& optimizer, Trainer::Loss loss, double clip_norm);

  enum class Kind { train, evaluate };

  // What is trained and evaluated on, in batches of at most so many samples.
  void use(Kind kind, const data::Dataset& dataset, std::int64_t capacity);
  void forget();        // plans, inputs and sums: after the device was lost, or the network moved
  void forget_plans();  // what the network computes may be another since
  // Not those that the plans train: a parameter was frozen meanwhile, or thawed.
  bool others_train() const;

  std::int64_t micro() const { return micro_; }
  void set_micro(std::int64_t samples);  // at once; the step's plans are made anew

  void upload(const data::HostBatch& batch);
  void train(std::int64_t rows);
  void evaluate(std::int64_t rows);
  // Each kind has sums of its own: a network may be evaluated amid an epoch.
  StepSums read_sums(Kind kind = Kind::train) const;  // waits
  void clear_sums(Kind kind = Kind::train);
  Tensor training_sums() const;
  bool has_labels(Kind kind = Kind::train) const;
  std::vector<std::int32_t> read_confusion() const;  // [classes, classes]; empty where targets are no labels
  // Of the batch that was uploaded last.
  Tensor input(Kind kind, std::int64_t begin, std::int64_t end) const;
  Tensor target(std::int64_t begin, std::int64_t end) const;
  Device device() const;

 private:
  void forget_batch();
  void run(Kind kind, std::int64_t rows);
  void make_confusion();
  Plan capture_step(Kind kind, std::int64_t rows);
  void train_on(std::int64_t begin, std::int64_t end, std::int64_t rows);
  void evaluate_on(std::int64_t begin, std::int64_t end);
  void count_result(Kind kind, const Tensor& prediction, const Tensor& loss, std::int64_t begin, std::int64_t end);

  nn::Module& net_;
  optim::Optimizer& optimizer_;
  Trainer::Loss loss_;
  double clip_norm_;
  std::map<Kind, data::Dataset> datasets_;
  std::int64_t micro_ = 0;
  Tensor x_, y_;  // the batch, as the dataset has it
  std::map<Kind, Tensor> sums_;
  Tensor confusion_;
  std::uint64_t generation_ = 0;  // of the optimizer's blocks that the plans know
  std::vector<bool> trains_;      // the optimizer's parameters that they train
  std::map<std::pair<Kind, std::int64_t>, Plan> plans_;
};

}  // namespace tidepool::inline v0
