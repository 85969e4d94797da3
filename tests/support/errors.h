// Looking at errors.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <typeinfo>

namespace tidepool::inline v0 {

// The message of the error that the function throws, which is of exactly this type.
template <class E, class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    EXPECT_TRUE(typeid(error) == typeid(E)) << "another error: " << typeid(error).name() << ": " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

inline testing::AssertionResult has_part(const char*, const char*, const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "wanted: " << part << "\nin: " << text;
}
#define EXPECT_HAS(text, part) EXPECT_PRED_FORMAT2(tidepool::has_part, text, part)

}  // namespace tidepool::inline v0
