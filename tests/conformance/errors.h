// Errors that a caller can cause. Each is of the right type, names the operation and what it got, leaves the memory as it
// was, and the next operation works.
#pragma once

#include "support/devices.h"
#include "support/errors.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace tidepool::conformance {

class ErrorTest : public OnEveryDevice {
 protected:
  template <class E, class Function>
  void expect_error(Function&& function, std::initializer_list<std::string> parts) {
    const MemoryStats before = memory();
    const std::string message = message_of<E>(function);
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << "wanted '" << part << "' in: " << message;
    const MemoryStats after = memory();
    EXPECT_EQ(after.tensors, before.tensors) << message;
    EXPECT_EQ(after.live_bytes, before.live_bytes) << message;
    EXPECT_EQ(sum(ones({2, 2}) + 1.0F).item(), 8.0F) << "after " << message;
  }

  static Tensor integers(const Shape& shape) { return zeros(shape, {.dtype = DType::i32}); }
  static Tensor elsewhere(const Shape& shape) { return zeros(shape, {.device = device("null")}); }
  static Tensor ended(const Shape& shape) {
    const Tensor t = zeros(shape);
    t.release();
    return t;
  }
};

}  // namespace tidepool::conformance
