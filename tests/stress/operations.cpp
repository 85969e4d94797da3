#include "stress/operations.h"

#include <algorithm>

namespace tidepool::stress {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list;
    add_elementwise(list);
    add_layout(list);
    add_reductions(list);
    add_products(list);
    return list;
  }();
  return all;
}

const Operation& operation(const std::string& name) {
  for (const Operation& operation : operations())
    if (operation.name == name) return operation;
  throw std::logic_error("no operation " + name);
}

void require(bool condition, const char* what) {
  if (!condition) throw Invalid(what);
}

Shape shape_of(std::span<const std::int64_t> sizes) {
  require(sizes.size() <= static_cast<std::size_t>(Shape::max_rank), "the rank is too high");
  return Shape(sizes);
}
std::vector<std::int64_t> sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

std::vector<std::int64_t> place_of(const Shape& shape, std::int64_t index) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank()));
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] = index % shape.begin()[axis];
    index /= shape.begin()[axis];
  }
  return place;
}

std::int64_t index_of(const Shape& shape, std::span<const std::int64_t> place) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < place.size(); ++axis) index = index * shape.begin()[axis] + place[axis];
  return index;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max(a.rank(), b.rank())));
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(sizes.size()); ++i) {
    const std::int64_t mine = i <= a.rank() ? a[-i] : 1, theirs = i <= b.rank() ? b[-i] : 1;
    require(mine == theirs || mine == 1 || theirs == 1, "the shapes do not broadcast");
    sizes[sizes.size() - static_cast<std::size_t>(i)] = mine == 1 ? theirs : mine;
  }
  return shape_of(sizes);
}

Array broadcast(const Array& a, const Shape& shape) {
  if (a.shape == shape) return a;
  return from_places(shape, a.type, [&](std::span<const std::int64_t> place) {
    std::int64_t from = 0;
    const std::size_t added = place.size() - static_cast<std::size_t>(a.shape.rank());
    for (std::size_t axis = added; axis < place.size(); ++axis) {
      const std::int64_t size = a.shape.begin()[axis - added];
      from = from * size + (size == 1 ? 0 : place[axis]);
    }
    return a.numbers[static_cast<std::size_t>(from)];
  });
}

Array from_places(const Shape& shape, DType type, const std::function<Number(std::span<const std::int64_t>)>& f) {
  Array result{shape, {}, type};
  const std::int64_t count = shape.numel();
  result.numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) result.numbers.push_back(f(place_of(shape, i)));
  return result;
}

bool wish_axis(Random& random, const Array& first, Wish& wish) {
  if (first.type != DType::f32 || first.shape.rank() == 0) return false;
  wish.numbers = {any_of(random, -first.shape.rank(), first.shape.rank() - 1), any_of(random, 0, 1)};
  return true;
}

}  // namespace tidepool::stress
