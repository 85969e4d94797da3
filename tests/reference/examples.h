// What the examples of the documentation are checked with: cmake/docs_examples.cpp makes them call this.
#pragma once

#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "support/files.h"

namespace tidepool::docs {

// A value as the documentation writes it: numbers to six digits, lists in braces.
inline std::string shown(const std::string& text) { return text; }
inline std::string shown(const char* text) { return text; }
inline std::string shown(std::string_view text) { return std::string(text); }
inline std::string shown(bool value) { return value ? "true" : "false"; }
template <class T>
  requires std::is_arithmetic_v<T>
std::string shown(const T& value) {
  std::ostringstream out;
  if constexpr (sizeof(T) == 1)
    out << static_cast<int>(value);
  else
    out << value;
  return out.str();
}
inline std::string shown(const Shape& shape) { return shape.str(); }
inline std::string shown(DType type) { return std::string(name_of(type)); }
inline std::string shown(const Device& device) { return device.id(); }
template <class T>
std::string shown(const std::vector<T>& values) {
  std::string text = "{";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + shown(value);
  return text + "}";
}
inline std::string shown(const Tensor& tensor) {
  if (tensor.dtype() == DType::i32) return shown(tensor.to_host<std::int32_t>());
  if (tensor.dtype() == DType::u8) return shown(tensor.to_host<std::uint8_t>());
  return shown(tensor.to_host<float>());
}

// Whether it is the text, or begins as a text that ends in … does.
inline bool fits(std::string_view is, std::string_view wanted) {
  constexpr std::string_view more = "…";
  if (wanted.ends_with(more)) return is.starts_with(wanted.substr(0, wanted.size() - more.size()));
  return is == wanted;
}

inline void expect_shown(const std::string& is, const std::string& wanted, const char* page, int line) {
  EXPECT_TRUE(fits(is, wanted)) << page << ":" << line << ": says " << wanted << ", is " << is;
}

template <class Thrown>
void expect_thrown(const std::function<void()>& call, const std::string& wanted, const char* page, int line) {
  try {
    call();
    ADD_FAILURE() << page << ":" << line << ": nothing was thrown";
  } catch (const Thrown& error) {
    EXPECT_STREQ(typeid(error).name(), typeid(Thrown).name()) << page << ":" << line;
    EXPECT_TRUE(wanted.empty() || fits(error.what(), wanted)) << page << ":" << line << ": says\n" << wanted << "\nis\n" << error.what();
  }
}

// Examples write files, set limits and choose devices; the next one knows nothing of that.
inline void in_a_folder_of_its_own(const std::function<void()>& example) {
  const std::filesystem::path before = std::filesystem::current_path();
  const TemporaryFolder folder;
  const Settings settings = tidepool::settings();
  const Device device = default_device();
  std::filesystem::current_path(folder.name());
  try {
    example();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "the example threw: " << error.what();
  }
  std::filesystem::current_path(before);
  faults::set("");
  monitor::disable();
  set_logger({});
  set_default_device(device);
  cleanup();
  configure(settings);
}

}  // namespace tidepool::docs
