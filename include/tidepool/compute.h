// Batch compute: many host arrays, one function, in chunks that keep the device busy while the host stages the next.
//
//     tp::Compute compute({.chunk = 100});
//     std::vector<std::vector<float>> means = compute.run(spans, [](const tp::Tensor& t) { return tp::mean(tp::square(t)); });
//
//     std::vector<tp::Tensor> ts = compute.upload(spans);            // or step by step, with everything on the device at once
//     std::vector<tp::Tensor> ys = compute.map(ts, function);
//     std::vector<std::vector<float>> hs = compute.download(ys);
//
// Results are in the order of the items. A device that is lost is made anew, or left for the next, and what it had is computed again:
// docs/compute.md.
#pragma once

#include <tidepool/device.h>
#include <tidepool/tensor.h>
#include <tidepool/version.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

enum class OnError {
  stop,  // the first item that fails ends the call, with an error of the item's type that names its index
  skip,  // the others are delivered, and `failures` says which failed and why
};

struct ComputeProgress {
  std::int64_t done = 0;   // items, those that failed among them
  std::int64_t items = 0;  // of the call
  std::int64_t failed = 0;
};

struct FailedItem {
  std::int64_t index = 0;
  std::string message;       // what its error says
  std::exception_ptr error;  // itself
};

struct ComputeOptions {
  std::int64_t chunk = 100;  // items that are submitted together; 0: as many as a quarter of the free memory holds, up to 1,000
  OnError on_error = OnError::stop;
  std::function<void(const ComputeProgress& progress)> on_progress = nullptr;  // after each chunk
  Device device = {};                                                          // the default device, at the time of a call
  std::int64_t max_recoveries =
      3;  // from lost devices, in a row, without an item further than before; 0: none, and nothing is kept for them
  std::function<void()> on_recovery =
      nullptr;  // on a device that was made anew, before work goes on: to make again what the function holds
};

// One thread at a time.
class TIDEPOOL_API Compute {
 public:
  using Items = std::vector<std::span<const float>>;
  using Results = std::vector<std::vector<float>>;
  using Function = std::function<Tensor(const Tensor& item)>;

  Compute();
  explicit Compute(const ComputeOptions& options);
  Compute(Compute&&) noexcept;
  Compute& operator=(Compute&&) noexcept;
  ~Compute();

  // Each item as a tensor [its size], through the function, and back. Two chunks are on the device at a time, whatever the number of items.
  // An item that failed gives an empty result.
  Results run(const Items& items, const Function& function);
  Results run(const Results& items, const Function& function);
  Results run(std::initializer_list<std::span<const float>> items, const Function& function) { return run(Items(items), function); }

  // The same in steps. Until they are destroyed, tensors from here are brought back after a loss by any of these calls: from a copy of the
  // host's values, and by calling the function again. An item that failed gives an empty tensor, and an empty tensor an empty result.
  std::vector<Tensor> upload(const Items& items);
  std::vector<Tensor> upload(const Results& items);
  std::vector<Tensor> upload(std::initializer_list<std::span<const float>> items) { return upload(Items(items)); }  // {v, w}
  std::vector<Tensor> map(const std::vector<Tensor>& items, const Function& function);
  Results download(const std::vector<Tensor>& items);

  const std::vector<FailedItem>& failures() const;  // of the last call, by index
  std::int64_t recoveries() const;                  // from lost devices, of all calls

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace tidepool::inline v0
