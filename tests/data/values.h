// The numbers of a dataset as vectors, and the bytes of formats.
#pragma once

#include <gtest/gtest.h>
#include <tidepool/data.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

template <class T>
std::vector<T> values_in(std::span<const std::byte> bytes) {
  EXPECT_EQ(bytes.size() % sizeof(T), 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T), 0U);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
template <class T>
std::vector<T> x_values(const data::Dataset& dataset) {
  return values_in<T>(dataset.x_bytes());
}
template <class T>
std::vector<T> y_values(const data::Dataset& dataset) {
  return values_in<T>(dataset.y_bytes());
}

template <class T>
std::string little(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
template <class T>
std::string big(T value) {
  std::string bytes = little(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// The start of an idx file of this type and these sizes.
inline std::string idx_header(int type, std::initializer_list<std::uint32_t> sizes) {
  std::string bytes{0, 0, static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) bytes += big(size);
  return bytes;
}

// The start of a .npy file with this dictionary.
inline std::string npy_header(const std::string& dictionary, int version = 1) {
  const std::string start = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  const auto size = static_cast<std::uint32_t>(dictionary.size());
  return start + (version == 1 ? little(static_cast<std::uint16_t>(size)) : little(size)) + dictionary;
}
inline std::string npy_dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

}  // namespace tidepool::inline v0
