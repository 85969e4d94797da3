#include "device/layouts.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace tidepool::inline v0 {

namespace {

struct Image {
  ImageShape shape;
  bool possible = true;
  bool gains = false;  // some kernel is faster for it
};

class LayoutChoice {
 public:
  LayoutChoice(std::uint32_t block, const std::function<bool(const Block&)>& temporary) : block_(block), temporary_(temporary) {}

  // One launch's say about its own images.
  void look_at(const CapturedLaunch& launch) {
    const BlockedImages* const images = launch.kernel->images;
    const bool alike = is_flat(launch);
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      const Operand& operand = launch.operands[i];
      Image& image = images_[operand.block];
      image.possible =
          image.possible && (images || alike) && operand.offset == 0 && operand.bytes == operand.block->asked && temporary_(*operand.block);
      if (!image.possible || alike) continue;
      const ImageShape shape = images->shape(launch.params.data(), i);
      image.possible = shape.channels > 0 && shape.channels % block_ == 0 && agree(image, shape);
      image.gains = image.gains || images->gains;
    }
  }

  // A launch that does not care how its images lie, as long as they lie alike, spreads what is known of one. True: something changed.
  bool spread(const CapturedLaunch& launch) {
    if (!is_flat(launch)) return false;
    bool possible = true, gains = false;
    ImageShape shape;
    for (const Operand& operand : launch.operands) {
      const Image& image = images_[operand.block];
      possible = possible && image.possible && operand.bytes == launch.operands[0].bytes;
      gains = gains || image.gains;
      if (image.shape.channels) shape = image.shape;
    }
    bool changed = false;
    for (const Operand& operand : launch.operands) {
      Image& image = images_[operand.block];
      const Image before = image;
      image.possible = possible && (!shape.channels || agree(image, shape));
      image.gains = gains;
      changed = changed || image.possible != before.possible || image.gains != before.gains || image.shape != before.shape;
    }
    return changed;
  }

  void write(CapturedLaunch& launch) const {
    const BlockedImages* const images = launch.kernel->images;
    if (!images) return;
    ChannelBlocks blocks{.size = block_, .bindings = 0};
    for (std::size_t i = 0; i < launch.operands.size(); ++i) {
      const Image& image = images_.at(launch.operands[i].block);
      if (image.possible && image.gains && image.shape.channels) blocks.bindings |= 1U << i;
    }
    if (blocks.bindings) std::memcpy(launch.params.data() + images->at, &blocks, sizeof blocks);
  }

 private:
  static bool agree(Image& image, const ImageShape& shape) {
    if (image.shape.channels) return image.shape == shape;
    image.shape = shape;
    return true;
  }

  std::uint32_t block_;
  const std::function<bool(const Block&)>& temporary_;
  std::unordered_map<const Block*, Image> images_;
};

}  // namespace

bool layouts_matter(std::span<const CapturedLaunch> launches) {
  return std::ranges::any_of(launches, [](const CapturedLaunch& launch) { return launch.kernel->images && launch.kernel->images->gains; });
}

void choose_layouts(std::span<CapturedLaunch> launches, std::uint32_t block, const std::function<bool(const Block&)>& temporary) {
  LayoutChoice choice(block, temporary);
  for (const CapturedLaunch& launch : launches) choice.look_at(launch);
  for (bool changed = true; changed;) {
    changed = false;
    for (const CapturedLaunch& launch : launches) changed = choice.spread(launch) || changed;
  }
  for (CapturedLaunch& launch : launches) choice.write(launch);
}

}  // namespace tidepool::inline v0
