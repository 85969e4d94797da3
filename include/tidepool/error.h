// The errors that Tidepool throws. A message names the operation, what it got and what it wanted:
//
//     try { tp::matmul(a, b); }
//     catch (const tp::ShapeError& e) { e.what(); }   // matmul: inner sizes differ: [2, 3] x [4, 5]
#pragma once

#include <tidepool/version.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

class TIDEPOOL_API Error : public std::runtime_error {
 public:
  Error(std::string_view operation, std::string_view message) : std::runtime_error(std::string(operation) + ": " + std::string(message)) {}
};

class TIDEPOOL_API ShapeError : public Error {
  using Error::Error;
};
class TIDEPOOL_API DTypeError : public Error {
  using Error::Error;
};
class TIDEPOOL_API DeviceError : public Error {
  using Error::Error;
};
// The one error after which a device's tensors are gone; `reset(device)` makes it usable again.
class TIDEPOOL_API DeviceLost : public DeviceError {
  using DeviceError::DeviceError;
};
class TIDEPOOL_API OutOfMemory : public Error {
  using Error::Error;
};
// Use of a released or empty tensor.
class TIDEPOOL_API ReleasedError : public Error {
  using Error::Error;
};
class TIDEPOOL_API IoError : public Error {
  using Error::Error;
};
// A value out of range.
class TIDEPOOL_API ArgumentError : public Error {
  using Error::Error;
};

}  // namespace tidepool::inline v0
