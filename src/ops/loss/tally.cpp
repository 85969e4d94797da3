#include "ops/loss/tally.h"

#include <tidepool/error.h>

#include "core/op.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

struct TallyParams {
  Shifts shifts;
  std::uint32_t place;
  float weight;
};
static_assert(Params<TallyParams>);

void tally_cpu(const CpuCall& call) {
  const auto& p = call.params<TallyParams>();
  call.buffer<float>(0)[p.place] += p.weight * *call.buffer<const float>(1);
}

constexpr KernelDef kernel{.name = "tally", .access = accesses({Access::read_write, Access::read}), .bindings = 2, .cpu = tally_cpu};

}  // namespace

void tally(const Tensor& sums, std::int64_t place, const Tensor& value, double weight) {
  if (value.numel() != 1)
    throw ShapeError("fit", cat("the loss has shape ", value.shape(), "; wanted one number, as the mean over the batch"));
  apply_in_place(
      "tally", {&sums, &value}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        stream.launch(kernel, {update(*nodes[0]), read(*nodes[1])}, attrs.as<TallyParams>(), Extent{1, 1, 1});
      },
      Attrs(TallyParams{.shifts = {}, .place = to_count(place), .weight = static_cast<float>(weight)}));
}

}  // namespace tidepool::inline v0
