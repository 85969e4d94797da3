// A device put to the test: does it compute what the CPU computes, and how fast is it?
//
//     const Trial trial = try_apart("vulkan:0", false);   // in a process of its own, where a crash does no harm
#pragma once

#include <tidepool/tensor.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidepool::cli {

// Something to compute on a device, the default one at that time, with the same numbers everywhere.
struct TrialOperation {
  const char* name;
  double allowed;  // difference, of a number's size where that is above 1
  Tensor (*compute)();
};
std::span<const TrialOperation> trial_operations();

struct Speed {
  std::string what;
  double value;
  std::string unit;
};
std::vector<Speed> measure_speeds();  // of the default device

struct Trial {
  struct Result {
    std::string name;
    double worst = 0;  // difference
    double allowed = 0;
    std::string error;  // what happened instead of a result
    bool agreed() const { return error.empty() && worst <= allowed; }
  };
  std::string device;
  std::string failure;  // the test could not be ended
  std::vector<Result> operations;
  std::vector<Speed> speeds;                         // none with validation: it would be timed too
  std::optional<std::uint64_t> validation_messages;  // absent when nobody listened
};

Trial try_here(const std::string& device, bool validation);
Trial try_apart(const std::string& device, bool validation);

nlohmann::ordered_json as_json(const Trial& trial);

std::string rounded(double value);  // for people: three digits

}  // namespace tidepool::cli
