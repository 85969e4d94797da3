// What plans may know of a kernel, so that they can do its work in other ways: see device/layouts.h, device/joining.h,
// device/fusing.h, device/zeros.h and backend/cpu/chain.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

// How images may lie inside plans: in blocks of channels, [n, c / size, h, w, size] instead of [n, c, h, w].
struct ChannelBlocks {
  std::uint32_t size = 0;      // 0: none do
  std::uint32_t bindings = 0;  // those that do, as bits
  bool has(std::size_t binding) const { return (bindings >> binding & 1) != 0; }
};
struct ImageShape {
  std::uint32_t channels = 0, plane = 0;  // elements of a plane; no channels: it cannot lie in blocks
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};
// What a kernel takes that way.
struct BlockedImages {
  bool gains;                                                         // is faster for it; others take them as they come
  ImageShape (*shape)(const std::byte* params, std::size_t binding);  // of what can lie in blocks
  std::uint16_t at;                                                   // where its parameters have ChannelBlocks
};
// A kernel that treats every element by itself: element i of what it writes is made of element i of what it reads. So it does not care
// how they lie, and its work can be cut anywhere.
struct FlatKernel {
  bool (*flat)(const std::byte* params);              // with these parameters
  std::uint16_t count_at;                             // where its parameters have the number of elements, 32 bits
  bool (*zeroes)(const std::byte* params) = nullptr;  // it only writes zeros
  bool adds = false;                                  // its third binding becomes the sum of the others
};
// What a flat kernel makes of an element of four bytes, as GLSL: so that shaders can be made of several kernels. It writes its last
// binding.
struct ElementText {
  const char* glsl;              // an expression of the words of ops/words.glsl, of its inputs, and of p.a and p.b
  const char* inputs = "";       // what the expression calls them, a letter for each binding but the last
  std::uint16_t numbers_at = 0;  // where its parameters have a and b, one after the other
};
// A kernel that makes one element of its second binding of each stretch of its first, in order. It can end a chain of flat ones.
struct StretchKernel {
  std::uint32_t (*length)(const std::byte* params);        // of a stretch; 0: not with these parameters
  void (*cut)(std::byte* params, std::uint32_t elements);  // parameters for the first so many elements, a multiple of it or all
};
// A flat kernel as a stage of a chain that is done in registers (backend/cpu/chain.h), or one that ends such a chain with sums. What
// arguments the functions take depends on the instruction set, so here they have lost their type.
using StageCode = void (*)();
struct Stages {
  StageCode with[3] = {};  // the value that comes from the stage before is its first input, its second, its third; null: never
  float (*close)(float* sums) = nullptr;  // of kernels that sum up stretches: what a stretch comes to; the sums are 0 then, for the next
  // Of kernels with one input: the sum of what it makes of a stretch, a multiple of a group, with the bits that the stages would give it.
  float (*sum)(const std::byte* params, const float* from, std::size_t count) = nullptr;
};
constexpr std::size_t piece_bytes = 65536;  // room for what lives within a piece of joined launches

}  // namespace tidepool::inline v0
