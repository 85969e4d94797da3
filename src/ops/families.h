// All operations there are.
#pragma once

#include "core/op.h"

#include <string_view>

namespace tidepool::inline v0 {

const Operations& all_operations();
const OpDef* find_operation(std::string_view name);  // null when there is none

}  // namespace tidepool::inline v0
