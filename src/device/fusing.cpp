#include "device/fusing.h"

#include "device/flat.h"
#include "device/fused_kernel.h"
#include "platform/cat.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t most_stages = 32;  // more values than registers gain nothing
constexpr std::size_t most_work = 80;    // to compile: as much as takes no driver seconds. Sines are more than that by themselves

bool can_fuse(const CapturedLaunch& launch) {
  const std::size_t bytes = std::size_t{elements_of(launch)} * sizeof(float);
  return bytes != 0 && launch.kernel->element && work_to_compile(*launch.kernel->element) <= most_work &&
         std::ranges::all_of(launch.operands, [&](const Operand& o) { return o.element == sizeof(float) && o.bytes == bytes; });
}

// The first so many launches of a chain as one.
class Fusion {
 public:
  Fusion(std::span<const CapturedLaunch> launches, std::size_t first, CapturedBlocks& blocks) : launches_(launches) {
    for (const CapturedLaunch& launch : launches) add(launch);
    for (Seen& seen : seen_) {
      const bool passes = blocks.within(*seen.operand.block, first, first + launches.size() - 1);
      if (seen.current != seen.bound.loaded && !passes) seen.bound.stored = seen.current;
    }
    std::erase_if(seen_, [](const Seen& seen) { return seen.bound.loaded < 0 && seen.bound.stored < 0; });
    for (Seen& seen : seen_) seen.operand.access = seen.bound.access();
  }

  bool fits(const BackendInfo& info) const {
    return seen_.size() <= info.bindings && numbers_.size() <= ChainParams::most_numbers && work_ <= most_work;
  }

  // Bytes that are not read and written.
  std::size_t saves() const {
    std::size_t before = 0, after = 0;
    const auto moved = [](const Operand& o) { return o.access == Access::read_write ? 2 * o.bytes : o.bytes; };
    for (const CapturedLaunch& launch : launches_)
      for (const Operand& operand : launch.operands) before += moved(operand);
    for (const Seen& seen : seen_) after += moved(seen.operand);
    return before - std::min(before, after);
  }

  ChainShader shader() const {
    ChainShader chain{
        .name = cat("chain of ", launches_.size(), " (", launches_.front().kernel->name, " to ", launches_.back().kernel->name, ')'),
        .stages = stages_,
        .bindings = {}};
    for (const Seen& seen : seen_) chain.bindings.push_back(seen.bound);
    return chain;
  }

  CapturedLaunch launch(const KernelDef& kernel) const {
    ChainParams params{.shifts = {}, .count = elements_of(launches_.front()), .nothing = 0, .numbers = {}};
    std::ranges::copy(numbers_, params.numbers.begin());
    const std::span bytes = std::as_bytes(std::span(&params, 1)).first(offsetof(ChainParams, numbers) + sizeof(float) * numbers_.size());
    CapturedLaunch fused{.kernel = &kernel,
                         .operation = kernel.name,
                         .operands = {},
                         .params = {bytes.begin(), bytes.end()},
                         .extent = {params.count, 1, 1}};
    for (const Seen& seen : seen_) fused.operands.push_back(seen.operand);
    return fused;
  }

 private:
  struct Seen {
    Operand operand;
    ChainBinding bound;
    int current = -1;  // the value that it has by now
  };

  Seen& find(const Operand& operand) {
    const auto known = std::ranges::find_if(seen_, [&](const Seen& seen) { return same(seen.operand, operand); });
    return known != seen_.end() ? *known : seen_.emplace_back(Seen{.operand = operand, .bound = {}});
  }

  void add(const CapturedLaunch& launch) {
    const ElementText& element = *launch.kernel->element;
    ChainStage stage{.element = &element, .inputs = {}, .made = 0};
    stage.inputs.fill(-1);
    for (std::size_t i = 0; element.inputs[i]; ++i) {
      if (!has_word(element.glsl, {&element.inputs[i], 1})) continue;
      Seen& seen = find(launch.operands[i]);
      if (seen.current < 0) seen.current = seen.bound.loaded = values_++;
      stage.inputs[i] = seen.current;
    }
    stage.made = find(launch.operands.back()).current = values_++;
    stages_.push_back(stage);
    work_ += work_to_compile(element);
    const auto number = [&](std::size_t at) {
      std::memcpy(&numbers_.emplace_back(), launch.params.data() + element.numbers_at + at * sizeof(float), sizeof(float));
    };
    if (uses_a(element)) number(0);
    if (uses_b(element)) number(1);
  }

  std::span<const CapturedLaunch> launches_;
  std::vector<Seen> seen_;  // by first use
  std::vector<ChainStage> stages_;
  std::vector<float> numbers_;
  std::size_t work_ = 0;
  int values_ = 0;
};

// As many launches as can follow each other in a chain, from the first on.
std::size_t chain_length(std::span<const CapturedLaunch> launches) {
  constexpr std::size_t least = worth_fusing / sizeof(float) / (most_stages * max_bindings);  // elements: fewer never save enough
  const std::uint32_t count = elements_of(launches[0]);
  if (count < least || !can_fuse(launches[0])) return 1;
  std::size_t length = 1;
  while (length < std::min(launches.size(), most_stages) && elements_of(launches[length]) == count && can_fuse(launches[length]) &&
         goes_along(launches.first(length), launches[length]))
    ++length;
  return length;
}

class Fuser {
 public:
  Fuser(Stream& stream, CapturedBlocks& blocks, std::vector<std::shared_ptr<const void>>& kept)
      : stream_(stream), blocks_(blocks), kept_(kept) {}

  std::vector<CapturedLaunch> fuse(std::span<CapturedLaunch> launches) {
    std::vector<CapturedLaunch> all;
    for (std::size_t i = 0; i < launches.size();) {
      const std::span rest = launches.subspan(i);
      std::size_t length = chain_length(rest);
      while (length > 1 && !Fusion(rest.first(length), i, blocks_).fits(stream_.info())) --length;
      if (auto one = as_one(rest.first(length), i))
        all.push_back(std::move(*one));
      else
        std::ranges::move(rest.first(length), std::back_inserter(all));
      i += length;
    }
    return all;
  }

 private:
  std::optional<CapturedLaunch> as_one(std::span<const CapturedLaunch> chain, std::size_t first) {
    if (chain.size() == 1) return {};
    const Fusion fusion(chain, first, blocks_);
    if (fusion.saves() < worth_fusing) return {};
    auto kernel = fused_kernel(fusion.shader());
    if (!kernel || !stream_.can_load(kernel->def)) return {};
    CapturedLaunch launch = fusion.launch(kernel->def);
    kept_.push_back(std::move(kernel));
    return launch;
  }

  Stream& stream_;
  CapturedBlocks& blocks_;
  std::vector<std::shared_ptr<const void>>& kept_;
};

}  // namespace

void fuse_launches(Stream& stream, std::vector<CapturedLaunch>& launches, CapturedBlocks& blocks,
                   std::vector<std::shared_ptr<const void>>& kept) {
  const std::size_t before = launches.size();
  launches = Fuser(stream, blocks, kept).fuse(launches);
  if (launches.size() != before) blocks.count_uses(launches);
}

}  // namespace tidepool::inline v0
