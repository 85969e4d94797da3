// Carries a program out through the public interface, on a pair of devices, and compares it with the reference.
#pragma once

#include "stress/program.h"

#include <string>

namespace tidepool::stress {

struct Devices {
  std::string first = "cpu";
  std::string second = {};  // for programs that move tensors
};

// What is wrong: values, gradients, tensors that are there or not, errors, figures. Empty when nothing is. Throws Invalid for a program
// that makes no sense.
std::string what_is_wrong(const Program& program, const Devices& devices);

}  // namespace tidepool::stress
