// Checks that operations share. Each throws the error of its kind, naming the operation, what it got and what it wanted.
#pragma once

#include "core/node.h"

#include <initializer_list>

namespace tidepool::inline v0 {

void require_type(const char* operation, const char* name, const Node& node, DType wanted);          // "y is i32; wanted f32"
void require_shape(const char* operation, const char* name, const Node& node, const Shape& wanted);  // "y is [2, 4]; wanted [2, 5]"
// An output that is written into shares no memory with the others, of which some may be null.
void require_apart(const char* operation, const char* name, const Node& output, std::initializer_list<const Node*> others);

}  // namespace tidepool::inline v0
