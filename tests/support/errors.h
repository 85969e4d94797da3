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

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "the text is: " << (text)

}  // namespace tidepool::inline v0
