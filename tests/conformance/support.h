// Which operation works where, by trying.
#pragma once

#include "conformance/cases.h"

#include <string>
#include <vector>

namespace tidepool::conformance {

// Those of all_operations() that the list has nothing for.
std::vector<std::string> operations_without_cases(const std::vector<OpCases>& list);

struct Support {
  bool forward = false, backward = false;
};
// Whether all cases (but the longest) run on the device with the right values and gradients; `null`, which computes
// nothing, only has to accept them.
Support support_on(const std::string& op, const std::vector<OpCases>& list, const Device& device);

// The page docs/operations.md.
std::string support_page(const std::vector<OpCases>& list);

}  // namespace tidepool::conformance
