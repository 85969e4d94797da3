// The sizes of a tensor's axes, outermost first.
//
//     tp::Shape s{2, 3};
//     s.rank() == 2;  s[-1] == 3;  s.numel() == 6;  s.str() == "[2, 3]";
#pragma once

#include <tidepool/version.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>

namespace tidepool::inline v0 {

class TIDEPOOL_API Shape {
 public:
  static constexpr std::int64_t max_rank = 8;

  Shape() = default;  // rank 0: a single number
  template <std::integral... Sizes>
    requires(sizeof...(Sizes) > 0)
  Shape(Sizes... sizes) {  // NOLINT(google-explicit-constructor): `zeros({2, 3})` is the point
    start(sizeof...(Sizes));
    std::size_t axis = 0;
    ((sizes_[axis++] = to_size(sizes)), ...);
  }
  explicit Shape(std::span<const std::int64_t> sizes);

  std::int64_t rank() const { return rank_; }
  std::int64_t operator[](std::int64_t axis) const;  // negative axes count from the end
  // How many elements. Throws ShapeError when a size is negative or the product is beyond what a tensor can hold.
  std::int64_t numel() const {
    std::int64_t product = 1;
    bool odd = false;
    for (std::size_t i = 0; i < rank_; ++i) odd |= sizes_[i] <= 0 || __builtin_mul_overflow(product, sizes_[i], &product);
    return odd ? odd_numel() : product;
  }
  std::string str() const;

  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < a.rank_; ++i)
      if (a.sizes_[i] != b.sizes_[i]) return false;
    return true;
  }

 private:
  void start(std::size_t rank);
  std::int64_t odd_numel() const;  // with a size of 0, or an error
  [[noreturn]] static void too_large();
  template <std::integral T>
  static std::int64_t to_size(T size) {
    if (!std::in_range<std::int64_t>(size)) too_large();
    return static_cast<std::int64_t>(size);
  }

  std::array<std::int64_t, max_rank> sizes_{};
  std::uint8_t rank_ = 0;
};

TIDEPOOL_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace tidepool::inline v0
