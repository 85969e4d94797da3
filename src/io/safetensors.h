// Files of named tensors in the safetensors format: those of Python's package, and theirs are ours.
//
//     const SafetensorsFile file = read_safetensors("load", "model.safetensors");
//     if (const SafetensorsEntry* weight = file.find("0.weight")) file.floats(*weight);
//
// Everything is checked before it is given out: the header is JSON of the right form and at most 100 MB, every tensor's bytes are as many
// as its shape and type say, and together they are the file's data without holes or overlaps.
#pragma once

#include <tidepool/dtype.h>
#include <tidepool/shape.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // as the format calls it: "F32", "BF16"
  Shape shape;
  std::size_t begin = 0, end = 0;  // of its bytes in the data
};

using SafetensorsMetadata = std::map<std::string, std::string>;

class SafetensorsFile {
 public:
  const std::string& path() const { return path_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }
  std::span<const SafetensorsEntry> entries() const { return entries_; }  // in the order of their data
  const SafetensorsEntry* find(std::string_view name) const;              // null: there is none

  std::span<const std::byte> bytes(const SafetensorsEntry& entry) const { return {data_.get() + entry.begin, entry.end - entry.begin}; }
  std::vector<float> floats(const SafetensorsEntry& entry) const;           // F32, F16, BF16, F64; another type is an IoError
  std::vector<std::int32_t> integers(const SafetensorsEntry& entry) const;  // I32, I64 (in range), I16, I8, U8, BOOL

 private:
  friend SafetensorsFile read_safetensors(const char* operation, const std::string& path);
  [[noreturn]] void fail(const SafetensorsEntry& entry, std::string_view message) const;

  std::string operation_, path_;
  SafetensorsMetadata metadata_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<std::size_t> by_name_;
  std::size_t data_offset_ = 0;  // in the file
  std::shared_ptr<const std::byte> data_;
};

SafetensorsFile read_safetensors(const char* operation, const std::string& path);

std::optional<DType> dtype_in_file(std::string_view name);  // "F32", "F16", "I32", "U8"; nothing of other types

struct SafetensorsTensor {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> bytes;
};

// Replaces the file at once, see replace_file. Larger types come first, so that every tensor is aligned.
void write_safetensors(const char* operation, const std::string& path, const SafetensorsMetadata& metadata,
                       std::span<const SafetensorsTensor> tensors, bool keep_previous = false);

}  // namespace tidepool::inline v0
