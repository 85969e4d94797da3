// Checks that operations share. Each throws the error of its kind, naming the operation, what it got and what it wanted.
#pragma once

#include "core/node.h"

#include <initializer_list>

namespace tidepool::inline v0 {

void require_type(const char* operation, const char* name, const Node& node, DType wanted);          // "y is i32; wanted f32"
void require_shape(const char* operation, const char* name, const Node& node, const Shape& wanted);  // "y is [2, 4]; wanted [2, 5]"
bool overlap(const Node& a, const Node& b);                                                          // whether they share memory
// An output that is written into shares no memory with the others, of which some may be null.
void require_apart(const char* operation, const char* name, const Node& output, std::initializer_list<const Node*> others);

// Settings: "epochs is 0; wanted 1 or more".
void require_at_least(const char* operation, const char* name, std::int64_t value, std::int64_t least);
void require_not_negative(const char* operation, const char* name, double value);  // and finite
void require_rate(const char* operation, const char* name, double value);          // from 0 to less than 1

}  // namespace tidepool::inline v0
