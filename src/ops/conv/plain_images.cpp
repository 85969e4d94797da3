#include "ops/conv/plain_images.h"

namespace tidepool::inline v0 {

namespace {

// blocked[image, c / block, place, c % block] and plain[image, c, place]
template <class Move>
void for_each_place(const ConvParams& p, const ImageShape& shape, Move&& move) {
  const std::size_t block = p.blocks.size, plane = shape.plane, channels = shape.channels;
  for (std::size_t image = 0; image < p.n; ++image)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t place = 0; place < plane; ++place)
        move(((image * channels + c / block * block) * plane + place * block) + c % block, (image * channels + c) * plane + place);
}

}  // namespace

PlainImages::PlainImages(const CpuCall& call, Product product)
    : x_(product == Product::forward    ? 0
         : product == Product::of_input ? 2
                                        : 1),
      y_(product == Product::forward ? 2 : 0),
      written_(product == Product::of_weights ? max_bindings : 2),
      blocked_(call),
      plain_(call) {
  const auto& p = call.params<ConvParams>();
  for (const std::size_t i : {x_, y_}) {
    if (!p.blocks.has(i)) continue;
    Copy& copy = copies_[i];
    copy.shape = i == x_ ? ImageShape{p.c, p.h * p.w} : ImageShape{p.o, p.oh * p.ow};
    copy.values.resize(std::size_t{p.n} * copy.shape.channels * copy.shape.plane);
    plain_.buffers[i] = reinterpret_cast<std::byte*>(copy.values.data());
    if (i == written_) continue;
    const auto* from = call.buffer<const float>(i);
    for_each_place(p, copy.shape, [&](std::size_t blocked, std::size_t plain) { copy.values[plain] = from[blocked]; });
  }
}

PlainImages::~PlainImages() {
  if (written_ == max_bindings || copies_[written_].values.empty()) return;
  const Copy& copy = copies_[written_];
  auto* to = blocked_.buffer<float>(written_);
  for_each_place(blocked_.params<ConvParams>(), copy.shape,
                 [&](std::size_t blocked, std::size_t plain) { to[blocked] = copy.values[plain]; });
}

}  // namespace tidepool::inline v0
