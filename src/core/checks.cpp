#include "core/checks.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <cmath>

namespace tidepool::inline v0 {

void require_type(const char* operation, const char* name, const Node& node, DType wanted) {
  if (node.dtype != wanted) throw DTypeError(operation, cat(name, " is ", node.dtype, "; wanted ", wanted));
}

void require_shape(const char* operation, const char* name, const Node& node, const Shape& wanted) {
  if (!(node.shape == wanted)) throw ShapeError(operation, cat(name, " is ", node.shape, "; wanted ", wanted));
}

bool overlap(const Node& a, const Node& b) {
  return a.storage.block() == b.storage.block() && a.offset < b.offset + b.bytes() && b.offset < a.offset + a.bytes();
}

void require_apart(const char* operation, const char* name, const Node& output, std::initializer_list<const Node*> others) {
  for (const Node* other : others)
    if (other && overlap(output, *other))
      throw ArgumentError(
          operation, cat(name, ' ', output.shape, " shares memory with another tensor ", other->shape, "; write to a tensor of its own"));
}

void require_at_least(const char* operation, const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) throw ArgumentError(operation, cat(name, " is ", value, "; wanted ", least, " or more"));
}

void require_not_negative(const char* operation, const char* name, double value) {
  if (!(value >= 0 && std::isfinite(value))) throw ArgumentError(operation, cat(name, " is ", value, "; wanted 0 or more"));
}

void require_rate(const char* operation, const char* name, double value) {
  if (!(value >= 0 && value < 1)) throw ArgumentError(operation, cat(name, " is ", value, "; wanted 0 or more and less than 1"));
}

}  // namespace tidepool::inline v0
