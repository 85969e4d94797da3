#include "stress/operations.h"

#include <algorithm>
#include <numeric>

namespace tidepool::stress {

namespace {

std::int64_t axis_of(const Shape& shape, std::int64_t axis) {
  require(axis >= -shape.rank() && axis < shape.rank(), "there is no such axis");
  return axis < 0 ? axis + shape.rank() : axis;
}

Array same(const Array& a, const Shape& shape) { return {shape, a.numbers, a.type}; }

void add_views(std::vector<Operation>& all) {
  all.push_back({.name = "reshape",
                 .text = "$0.reshape(@)",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return in[0].reshape(i.shape); },
                 .compute =
                     [](const Arrays& in, const Instruction& i) {
                       require(i.shape.numel() == in[0].shape.numel(), "another number of elements");
                       return same(in[0], i.shape);
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       std::vector<std::int64_t> sizes = sizes_of(first.shape);
                       if (sizes.size() >= 2 && random() % 2) {  // two neighbours become one
                         const std::size_t at = random() % (sizes.size() - 1);
                         sizes[at] *= sizes[at + 1];
                         sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
                       } else {
                         for (std::int64_t& size : sizes)
                           for (const std::int64_t part : {2, 3})
                             if (size > part && size % part == 0) {
                               size /= part;
                               sizes.push_back(part);
                               wish.shape = shape_of(sizes);
                               return sizes.size() <= 8;
                             }
                         if (sizes.size() >= 8) return false;
                         sizes.insert(sizes.begin() + any_of(random, 0, first.shape.rank()), 1);
                       }
                       wish.shape = shape_of(sizes);
                       return true;
                     },
                 .view = true});
  all.push_back({.name = "flatten",
                 .text = "$0.flatten(#0)",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return in[0].flatten(i.numbers[0]); },
                 .compute =
                     [](const Arrays& in, const Instruction& i) {
                       const std::int64_t axis = axis_of(in[0].shape, i.numbers[0]);
                       std::vector<std::int64_t> sizes = sizes_of(in[0].shape);
                       const auto from = sizes.begin() + axis;
                       const std::int64_t product = std::accumulate(from, sizes.end(), std::int64_t{1}, std::multiplies<>());
                       sizes.erase(from, sizes.end());
                       sizes.push_back(product);
                       return same(in[0], shape_of(sizes));
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.shape.rank() == 0) return false;
                       wish.numbers = {any_of(random, 0, first.shape.rank() - 1)};
                       return true;
                     },
                 .view = true});
  const auto row = [](const Array& a) { return a.shape[0] == 0 ? 0 : a.shape.numel() / a.shape[0]; };
  all.push_back({.name = "slice",
                 .text = "$0.slice(#0, #1)",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return in[0].slice(i.numbers[0], i.numbers[1]); },
                 .compute =
                     [row](const Arrays& in, const Instruction& i) {
                       require(in[0].shape.rank() > 0, "rank 0 has no rows");
                       const std::int64_t begin = i.numbers[0], end = i.numbers[1];
                       require(begin >= 0 && begin <= end && end <= in[0].shape[0], "no such rows");
                       std::vector<std::int64_t> sizes = sizes_of(in[0].shape);
                       sizes[0] = end - begin;
                       const auto first = in[0].numbers.begin();
                       return Array{shape_of(sizes), {first + begin * row(in[0]), first + end * row(in[0])}, in[0].type};
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.shape.rank() == 0) return false;
                       const std::int64_t begin = any_of(random, 0, first.shape[0]);
                       wish.numbers = {begin, any_of(random, begin, first.shape[0])};
                       return true;
                     },
                 .view = true,
                 .offset = [row](const Array& a, const Instruction& i) { return i.numbers[0] * row(a); }});
  all.push_back({.name = "detach",
                 .text = "$0.detach()",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return in[0].detach(); },
                 .compute = [](const Arrays& in, const Instruction&) { return in[0]; },
                 .wish = [](Random&, const Array&, Wish&) { return true; },
                 .view = true,
                 .differentiable = false});
}

void add_orders(std::vector<Operation>& all) {
  const auto permuted = [](const Array& a, const std::vector<std::int64_t>& axes) {
    require(static_cast<std::int64_t>(axes.size()) == a.shape.rank(), "not as many axes");
    std::vector<std::int64_t> sizes, sorted = axes;
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < sorted.size(); ++k) require(sorted[k] == static_cast<std::int64_t>(k), "not each axis once");
    for (const std::int64_t axis : axes) sizes.push_back(a.shape[axis]);
    return from_places(shape_of(sizes), a.type, [&](std::span<const std::int64_t> place) {
      std::vector<std::int64_t> from(place.size());
      for (std::size_t k = 0; k < axes.size(); ++k) from[static_cast<std::size_t>(axes[k])] = place[k];
      return a.numbers[static_cast<std::size_t>(index_of(a.shape, from))] * 1;
    });
  };
  all.push_back({.name = "transpose",
                 .text = "transpose($0)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return transpose(in[0]); },
                 .compute =
                     [permuted](const Arrays& in, const Instruction&) {
                       require(in[0].shape.rank() >= 2 && in[0].type == DType::f32, "a matrix is wanted");
                       std::vector<std::int64_t> axes(static_cast<std::size_t>(in[0].shape.rank()));
                       std::iota(axes.begin(), axes.end(), 0);
                       std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
                       return permuted(in[0], axes);
                     },
                 .wish = [](Random&, const Array& first, Wish&) { return first.shape.rank() >= 2 && first.type == DType::f32; }});
  all.push_back(
      {.name = "permute",
       .text = "permute($0, {#*})",
       .call = [](const std::vector<Tensor>& in, const Instruction& i) { return permute(in[0], std::span<const std::int64_t>(i.numbers)); },
       .compute = [permuted](const Arrays& in, const Instruction& i) { return permuted(in[0], i.numbers); },
       .wish =
           [](Random& random, const Array& first, Wish& wish) {
             wish.numbers.resize(static_cast<std::size_t>(first.shape.rank()));
             std::iota(wish.numbers.begin(), wish.numbers.end(), 0);
             for (std::size_t i = wish.numbers.size(); i > 1; --i) std::swap(wish.numbers[i - 1], wish.numbers[random() % i]);
             return first.type == DType::f32 && first.shape.rank() > 0;
           }});
  all.push_back({.name = "broadcast_to",
                 .text = "broadcast_to($0, @)",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return broadcast_to(in[0], i.shape); },
                 .compute =
                     [](const Arrays& in, const Instruction& i) {
                       require(broadcast_shape(in[0].shape, i.shape) == i.shape && in[0].type == DType::f32, "not to that shape");
                       Array result = broadcast(in[0], i.shape);
                       for (Number& number : result.numbers) number = number * 1;
                       return result;
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       std::vector<std::int64_t> sizes = sizes_of(first.shape);
                       for (std::int64_t& size : sizes)
                         if (size == 1) size = any_of(random, 0, 3);
                       if (sizes.size() < 5) sizes.insert(sizes.begin(), any_of(random, 1, 3));
                       wish.shape = shape_of(sizes);
                       return first.type == DType::f32;
                     }});
}

Array joined(const Array& a, const Array& b, std::int64_t given) {
  require(a.type == DType::f32 && b.type == DType::f32 && a.shape.rank() == b.shape.rank() && a.shape.rank() > 0, "two of one rank");
  const auto axis = static_cast<std::size_t>(axis_of(a.shape, given));
  std::vector<std::int64_t> sizes = sizes_of(a.shape);
  for (std::size_t i = 0; i < sizes.size(); ++i) require(i == axis || sizes[i] == b.shape.begin()[i], "other sizes");
  sizes[axis] += b.shape.begin()[axis];
  return from_places(shape_of(sizes), DType::f32, [&](std::span<const std::int64_t> place) {
    std::vector<std::int64_t> from(place.begin(), place.end());
    const bool second = from[axis] >= a.shape.begin()[axis];
    if (second) from[axis] -= a.shape.begin()[axis];
    const Array& source = second ? b : a;
    return source.numbers[static_cast<std::size_t>(index_of(source.shape, from))] * 1;
  });
}

void add_joins(std::vector<Operation>& all) {
  all.push_back({.name = "concat",
                 .text = "concat({$0, $1}, #0)",
                 .call =
                     [](const std::vector<Tensor>& in, const Instruction& i) {
                       return concat({in[0], in[1]}, i.numbers[0]);
                     },
                 .compute = [](const Arrays& in, const Instruction& i) { return joined(in[0], in[1], i.numbers[0]); },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (!wish_axis(random, first, wish)) return false;
                       std::vector<std::int64_t> sizes = sizes_of(first.shape);
                       sizes[static_cast<std::size_t>(axis_of(first.shape, wish.numbers[0]))] = any_of(random, 0, 3);
                       wish.others = {{.shape = shape_of(sizes)}};
                       return true;
                     }});
  all.push_back({.name = "stack",
                 .text = "stack({$0, $1}, #0)",
                 .call =
                     [](const std::vector<Tensor>& in, const Instruction& i) {
                       return stack({in[0], in[1]}, i.numbers[0]);
                     },
                 .compute =
                     [](const Arrays& in, const Instruction& i) {
                       require(in[0].shape == in[1].shape && in[0].shape.rank() < 8, "two of one shape");
                       std::vector<std::int64_t> sizes = sizes_of(in[0].shape);
                       require(i.numbers[0] >= 0 && i.numbers[0] <= in[0].shape.rank(), "no such place");
                       sizes.insert(sizes.begin() + i.numbers[0], 1);
                       return joined(same(in[0], shape_of(sizes)), same(in[1], shape_of(sizes)), i.numbers[0]);
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       wish.numbers = {any_of(random, 0, first.shape.rank())};
                       wish.others = {{.shape = first.shape}};
                       return first.type == DType::f32 && first.shape.rank() < 8;
                     }});
  all.push_back(
      {.name = "split",
       .text = "split($0, #0, #1)[#2]",
       .call = [](const std::vector<Tensor>& in,
                  const Instruction& i) { return split(in[0], i.numbers[0], i.numbers[1])[static_cast<std::size_t>(i.numbers[2])]; },
       .compute =
           [](const Arrays& in, const Instruction& i) {
             const std::int64_t parts = i.numbers[0], which = i.numbers[2];
             require(in[0].type == DType::f32 && parts > 0 && which >= 0 && which < parts, "no such part");
             const auto axis = static_cast<std::size_t>(axis_of(in[0].shape, i.numbers[1]));
             require(axis > 0, "along axis 0 they are views");
             std::vector<std::int64_t> sizes = sizes_of(in[0].shape);
             const std::int64_t size = sizes[axis], larger = size % parts;
             require(size >= parts, "too many parts");
             const std::int64_t begin = which * (size / parts) + std::min(which, larger);
             sizes[axis] = size / parts + (which < larger ? 1 : 0);
             return from_places(shape_of(sizes), DType::f32, [&](std::span<const std::int64_t> place) {
               std::vector<std::int64_t> from(place.begin(), place.end());
               from[axis] += begin;
               return in[0].numbers[static_cast<std::size_t>(index_of(in[0].shape, from))] * 1;
             });
           },
       .wish =
           [](Random& random, const Array& first, Wish& wish) {
             if (first.shape.rank() < 2 || first.type != DType::f32) return false;
             const std::int64_t axis = any_of(random, 1, first.shape.rank() - 1);
             if (first.shape[axis] < 1) return false;
             const std::int64_t parts = any_of(random, 1, std::min<std::int64_t>(3, first.shape[axis]));
             wish.numbers = {parts, axis, any_of(random, 0, parts - 1)};
             return true;
           }});
}

void add_lookups(std::vector<Operation>& all) {
  all.push_back(
      {.name = "gather",
       .text = "gather($0, #0, $1)",
       .call = [](const std::vector<Tensor>& in, const Instruction& i) { return gather(in[0], i.numbers[0], in[1]); },
       .compute =
           [](const Arrays& in, const Instruction& i) {
             require(in[0].type == DType::f32 && in[1].type == DType::i32 && in[0].shape.rank() == in[1].shape.rank(), "one rank");
             const auto axis = static_cast<std::size_t>(axis_of(in[0].shape, i.numbers[0]));
             for (std::size_t k = 0; k < static_cast<std::size_t>(in[0].shape.rank()); ++k)
               require(k == axis || in[0].shape.begin()[k] == in[1].shape.begin()[k], "other sizes");
             return from_places(in[1].shape, DType::f32, [&](std::span<const std::int64_t> place) {
               std::vector<std::int64_t> from(place.begin(), place.end());
               from[axis] = static_cast<std::int64_t>(value_of(in[1].numbers[static_cast<std::size_t>(index_of(in[1].shape, place))]));
               require(from[axis] < in[0].shape.begin()[axis], "an index beyond the last");
               return in[0].numbers[static_cast<std::size_t>(index_of(in[0].shape, from))] * 1;
             });
           },
       .wish =
           [](Random& random, const Array& first, Wish& wish) {
             if (!wish_axis(random, first, wish)) return false;
             const std::int64_t axis = axis_of(first.shape, wish.numbers[0]);
             if (first.shape[axis] == 0) return false;
             std::vector<std::int64_t> sizes = sizes_of(first.shape);
             sizes[static_cast<std::size_t>(axis)] = any_of(random, 0, 4);
             wish.others = {{.shape = shape_of(sizes), .type = DType::i32, .below = first.shape[axis]}};
             return true;
           }});
  all.push_back({.name = "embedding",
                 .text = "embedding($0, $1)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return embedding(in[0], in[1]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].type == DType::f32 && in[1].type == DType::i32 && in[0].shape.rank() == 2, "a table is wanted");
                       std::vector<std::int64_t> sizes = sizes_of(in[1].shape);
                       sizes.push_back(in[0].shape[1]);
                       return from_places(shape_of(sizes), DType::f32, [&](std::span<const std::int64_t> place) {
                         const std::int64_t at = index_of(in[1].shape, place.first(place.size() - 1));
                         const auto row = static_cast<std::int64_t>(value_of(in[1].numbers[static_cast<std::size_t>(at)]));
                         require(row < in[0].shape[0], "an index beyond the last");
                         return in[0].numbers[static_cast<std::size_t>(row * in[0].shape[1] + place.back())] * 1;
                       });
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.type != DType::f32 || first.shape.rank() != 2 || first.shape[0] == 0) return false;
                       wish.others = {{.shape = {any_of(random, 0, 4)}, .type = DType::i32, .below = first.shape[0]}};
                       return true;
                     }});
}

}  // namespace

void add_layout(std::vector<Operation>& all) {
  add_views(all);
  add_orders(all);
  add_joins(all);
  add_lookups(all);
}

}  // namespace tidepool::stress
