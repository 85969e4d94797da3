// Optimizers. They move their parameters, gradients and moments into one flat block each, so that a step is one launch
// for all parameters; every handle on a parameter follows.
//
//     tp::optim::Adam opt(net.parameters(), {.lr = 1e-3});
//     opt.zero_grad();
//     tp::mse_loss(net(x), y).backward();
//     opt.step();
//
// The learning rate and the step count live in device memory: a plan that holds a step sees what set_lr sets later.
#pragma once

#include <tidepool/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::inline v0::optim {

struct OptimizerState;

class TIDEPOOL_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  void zero_grad();
  void step();
  void set_lr(double lr);
  double lr() const;
  std::int64_t steps() const;  // how many were done; waits for the device
  const std::vector<Tensor>& parameters() const;
  virtual std::string name() const = 0;
  // What belongs into a checkpoint beside the parameters: moments, step count and rate, by name.
  std::vector<std::pair<std::string, Tensor>> state() const;

 protected:
  Optimizer(const std::vector<Tensor>& parameters, double lr, const char* name, const std::vector<std::string>& moments);

 private:
  virtual void update(OptimizerState& state) = 0;
  friend struct OptimizerAccess;
  std::unique_ptr<OptimizerState> state_;
};

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  // Adam: times the weight, joins the gradient. AdamW: times rate and weight, leaves the weight
};
struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
};
struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
};
struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
};

class TIDEPOOL_API Adam : public Optimizer {
 public:
  explicit Adam(const std::vector<Tensor>& parameters) : Adam(parameters, AdamOptions()) {}
  explicit Adam(const std::vector<Tensor>& parameters, const AdamOptions& options);
  std::string name() const override;

 private:
  void update(OptimizerState& state) override;
  AdamOptions options_;
};

class TIDEPOOL_API AdamW : public Optimizer {
 public:
  explicit AdamW(const std::vector<Tensor>& parameters) : AdamW(parameters, AdamWOptions()) {}
  explicit AdamW(const std::vector<Tensor>& parameters, const AdamWOptions& options);
  std::string name() const override;

 private:
  void update(OptimizerState& state) override;
  AdamWOptions options_;
};

class TIDEPOOL_API SGD : public Optimizer {
 public:
  explicit SGD(const std::vector<Tensor>& parameters) : SGD(parameters, SGDOptions()) {}
  explicit SGD(const std::vector<Tensor>& parameters, const SGDOptions& options);
  std::string name() const override;

 private:
  void update(OptimizerState& state) override;
  SGDOptions options_;
};

class TIDEPOOL_API RMSprop : public Optimizer {
 public:
  explicit RMSprop(const std::vector<Tensor>& parameters) : RMSprop(parameters, RMSpropOptions()) {}
  explicit RMSprop(const std::vector<Tensor>& parameters, const RMSpropOptions& options);
  std::string name() const override;

 private:
  void update(OptimizerState& state) override;
  RMSpropOptions options_;
};

// Scales all gradients so that their common norm is at most `most`; returns the norm that they had.
TIDEPOOL_API Tensor clip_grad_norm(const std::vector<Tensor>& parameters, double most);

// A learning rate that follows the number of the step: the optimizer's own at construction, times factor(step).
//
//     tp::optim::CosineSchedule schedule(opt, {.steps = 1000});
//     opt.step();
//     schedule.step();
class TIDEPOOL_API Schedule {
 public:
  virtual ~Schedule();
  void step() { set(done_ + 1); }
  void set(std::int64_t done);  // as after so many steps
  virtual double factor(std::int64_t step) const = 0;

 protected:
  explicit Schedule(Optimizer& optimizer);

 private:
  Optimizer& optimizer_;
  double first_lr_;
  std::int64_t done_ = 0;
};

struct CosineScheduleOptions {
  std::int64_t steps = 1000;  // until the last factor is reached
  std::int64_t warmup = 0;    // steps of linear rise before
  double last = 0;            // the factor at the end
};
class TIDEPOOL_API CosineSchedule : public Schedule {
 public:
  explicit CosineSchedule(Optimizer& optimizer) : CosineSchedule(optimizer, CosineScheduleOptions()) {}
  explicit CosineSchedule(Optimizer& optimizer, const CosineScheduleOptions& options);
  double factor(std::int64_t step) const override;

 private:
  CosineScheduleOptions options_;
};

struct StepScheduleOptions {
  std::int64_t steps = 1000;  // between changes
  double gamma = 0.1;         // what each change multiplies the rate by
};
class TIDEPOOL_API StepSchedule : public Schedule {
 public:
  explicit StepSchedule(Optimizer& optimizer) : StepSchedule(optimizer, StepScheduleOptions()) {}
  explicit StepSchedule(Optimizer& optimizer, const StepScheduleOptions& options);
  double factor(std::int64_t step) const override;

 private:
  StepScheduleOptions options_;
};

}  // namespace tidepool::inline v0::optim
