// What copies of a module share: its tensors, its parts, and whether it trains.
#pragma once

#include <tidepool/module.h>

namespace tidepool::inline v0::nn {

struct ModuleState {
  struct Entry {
    std::string name;
    Tensor tensor;
    bool trained;
  };
  std::vector<Entry> tensors;
  std::vector<std::pair<std::string, std::shared_ptr<ModuleState>>> parts;
  bool training = true;
  bool mixes_batch = false;
};

struct ModuleAccess {
  static ModuleState& state(const Module& module) { return *module.state_; }
  static std::shared_ptr<ModuleState> shared(const Module& module) { return module.state_; }
};

// Called with each module's result while it is set on this thread.
using Observer = std::function<void(const Module& module, const Tensor& x, const Tensor& y)>;
class ObserverScope {
 public:
  explicit ObserverScope(Observer observer);
  ~ObserverScope();
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;
  static bool active();

 private:
  Observer observer_;
  const ObserverScope* before_;
  friend class Module;
  static thread_local const ObserverScope* current_;
};

// Every part trains, or none, for as long as this lives; then each is as it was, for a user may have set some apart.
class TrainingScope {
 public:
  TrainingScope(const Module& module, bool training);
  ~TrainingScope();
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  std::shared_ptr<ModuleState> root_;
  std::vector<std::pair<ModuleState*, bool>> before_;
};

// Every module's dotted name under this one, itself included as "".
std::vector<std::pair<std::string, const ModuleState*>> named_modules(const Module& module);

}  // namespace tidepool::inline v0::nn
