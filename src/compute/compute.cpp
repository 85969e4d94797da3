#include <tidepool/compute.h>

#include "compute/computing.h"

namespace tidepool::inline v0 {

namespace {
Compute::Items spans_of(const Compute::Results& items) { return {items.begin(), items.end()}; }
}  // namespace

Compute::Compute() : Compute(ComputeOptions{}) {}
Compute::Compute(const ComputeOptions& options) : inner_(std::make_unique<Inner>(options)) {}
Compute::Compute(Compute&&) noexcept = default;
Compute& Compute::operator=(Compute&&) noexcept = default;
Compute::~Compute() = default;

Compute::Results Compute::run(const Items& items, const Function& function) { return inner_->run(items, function); }
Compute::Results Compute::run(const Results& items, const Function& function) { return inner_->run(spans_of(items), function); }
std::vector<Tensor> Compute::upload(const Items& items) { return inner_->upload(items); }
std::vector<Tensor> Compute::upload(const Results& items) { return inner_->upload(spans_of(items)); }
std::vector<Tensor> Compute::map(const std::vector<Tensor>& items, const Function& function) { return inner_->map(items, function); }
Compute::Results Compute::download(const std::vector<Tensor>& items) { return inner_->download(items); }
const std::vector<FailedItem>& Compute::failures() const { return inner_->failures(); }
std::int64_t Compute::recoveries() const { return inner_->recoveries(); }

}  // namespace tidepool::inline v0
