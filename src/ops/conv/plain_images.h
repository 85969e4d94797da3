// A call whose images lie in blocks of channels, as one of our own kernels wants it: with copies that do not. Plans choose blocks only
// where oneDNN is to do the work, so this is for the day when it cannot after all.
//
//     const PlainImages plain(call);
//     run_product(plain.call(), …);  // what it writes is in its place when `plain` ends
#pragma once

#include "ops/conv/conv.h"

#include <array>
#include <vector>

namespace tidepool::inline v0 {

class PlainImages {
 public:
  enum class Product { forward, of_input, of_weights };
  PlainImages(const CpuCall& call, Product product);
  ~PlainImages();
  PlainImages(const PlainImages&) = delete;
  PlainImages& operator=(const PlainImages&) = delete;
  const CpuCall& call() const { return plain_; }

 private:
  struct Copy {
    std::vector<float> values;
    ImageShape shape;
  };
  std::size_t x_, y_, written_;  // bindings; all but the weights' product write one of the images
  const CpuCall& blocked_;
  CpuCall plain_;
  std::array<Copy, 3> copies_;
};

}  // namespace tidepool::inline v0
