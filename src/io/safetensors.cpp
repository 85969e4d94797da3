#include "io/safetensors.h"

#include <tidepool/error.h>

#include "io/file.h"
#include "io/numbers.h"
#include "io/safetensors_header.h"
#include "platform/cat.h"
#include "platform/one_line.h"
#include "platform/replace_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <stdexcept>

namespace tidepool::inline v0 {

namespace {

std::optional<Number> number_of(std::string_view dtype) {
  if (dtype == "F32") return Number::f32;
  if (dtype == "F16") return Number::f16;
  if (dtype == "BF16") return Number::bf16;
  if (dtype == "F64") return Number::f64;
  if (dtype == "I64") return Number::i64;
  if (dtype == "I32") return Number::i32;
  if (dtype == "I16") return Number::i16;
  if (dtype == "I8") return Number::i8;
  if (dtype == "U8") return Number::u8;
  if (dtype == "BOOL") return Number::boolean;
  return std::nullopt;
}

std::string_view name_in_file(DType type) {
  switch (type) {
    case DType::f32:
      return "F32";
    case DType::f16:
      return "F16";
    case DType::i32:
      return "I32";
    case DType::u8:
      return "U8";
  }
  return "";
}

// In the order that they are written in.
std::vector<const SafetensorsTensor*> checked(const char* operation, const std::string& path, std::span<const SafetensorsTensor> tensors) {
  const auto refuse = [&](const SafetensorsTensor& tensor, std::string_view message) {
    throw ArgumentError(operation, cat(path, ": key ", shown(tensor.name), ": ", message));
  };
  std::vector<const SafetensorsTensor*> order;
  for (const SafetensorsTensor& tensor : tensors) {
    const std::size_t wanted = static_cast<std::size_t>(tensor.shape.numel()) * size_of(tensor.dtype);
    if (tensor.bytes.size() != wanted) refuse(tensor, cat("has ", tensor.bytes.size(), " bytes; ", tensor.shape, " wants ", wanted));
    if (tensor.name == "__metadata__") refuse(tensor, "is the metadata's own name");
    order.push_back(&tensor);
  }
  std::vector<const SafetensorsTensor*> by_name = order;
  std::ranges::sort(by_name, {}, &SafetensorsTensor::name);
  if (const auto twice = std::ranges::adjacent_find(by_name, {}, &SafetensorsTensor::name); twice != by_name.end())
    refuse(**twice, "is there twice");
  std::ranges::stable_sort(order, std::greater<>(), [](const SafetensorsTensor* tensor) { return size_of(tensor->dtype); });
  return order;
}

std::string header_of(const SafetensorsMetadata& metadata, std::span<const SafetensorsTensor* const> tensors) {
  std::string header(safetensors_prefix, '\0');
  header += '{';
  std::string_view comma;
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      header.append(comma).append(json_string(key)).append(":").append(json_string(value));
      comma = ",";
    }
    header += '}';
  }
  std::size_t offset = 0;
  for (const SafetensorsTensor* tensor : tensors) {
    const std::size_t end = offset + tensor->bytes.size();
    header += cat(comma, json_string(tensor->name), ":{\"dtype\":\"", name_in_file(tensor->dtype), "\",\"shape\":", tensor->shape,
                  ",\"data_offsets\":[", offset, ',', end, "]}");
    comma = ",";
    offset = end;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data begins at a multiple of 8
  const auto prefix = std::bit_cast<std::array<char, safetensors_prefix>>(std::uint64_t{header.size() - safetensors_prefix});
  std::copy(prefix.begin(), prefix.end(), header.begin());
  return header;
}

}  // namespace

void SafetensorsFile::fail(const SafetensorsEntry& entry, std::string_view message) const {
  throw IoError(operation_, cat(path_, ": key ", shown(entry.name), ": ", message));
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto name_at = [&](std::size_t i) -> std::string_view { return entries_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_at);
  return found != by_name_.end() && name_at(*found) == name ? &entries_[*found] : nullptr;
}

std::vector<float> SafetensorsFile::floats(const SafetensorsEntry& entry) const {
  const std::optional<Number> number = number_of(entry.dtype);
  if (!number || is_whole(*number)) fail(entry, cat("is ", entry.dtype, "; wanted F32, F16, BF16 or F64"));
  std::vector<float> values((entry.end - entry.begin) / size_of(*number));
  if (const auto odd = to_floats(*number, ByteOrder::little, bytes(entry).data(), values))
    fail(entry, cat("byte ", data_offset_ + entry.begin + *odd * size_of(*number), ": the number is too large for f32"));
  return values;
}

std::vector<std::int32_t> SafetensorsFile::integers(const SafetensorsEntry& entry) const {
  const std::optional<Number> number = number_of(entry.dtype);
  if (!number || !is_whole(*number)) fail(entry, cat("is ", entry.dtype, "; wanted I32, I64, I16, I8, U8 or BOOL"));
  std::vector<std::int32_t> values((entry.end - entry.begin) / size_of(*number));
  if (const auto odd = to_integers(*number, ByteOrder::little, bytes(entry).data(), values))
    fail(entry, cat("byte ", data_offset_ + entry.begin + *odd * size_of(*number), ": the number is out of range for i32"));
  return values;
}

SafetensorsFile read_safetensors(const char* operation, const std::string& path) {
  FileReader file(operation, path);
  if (file.packed()) file.fail("is packed (.gz); unpack it with gunzip");
  std::array<std::byte, safetensors_prefix> prefix{};
  file.read_exactly(prefix, "the header's size");
  const auto header_bytes = std::bit_cast<std::uint64_t>(prefix);
  if (header_bytes > most_safetensors_header)
    file.fail(
        cat("byte 0: a header of ", header_bytes, " bytes; at most ", most_safetensors_header, " are read (is it a safetensors file?)"));
  SafetensorsFile result;
  SafetensorsHeader header;
  {
    const auto text = file.take(header_bytes, "the header");
    header = parse_safetensors_header({reinterpret_cast<const char*>(text.get()), header_bytes}, file);
  }
  result.operation_ = operation;
  result.path_ = path;
  result.metadata_ = std::move(header.metadata);
  result.entries_ = std::move(header.entries);
  result.by_name_ = std::move(header.by_name);
  result.data_offset_ = file.offset();
  result.data_ = file.take(header.data_bytes, "tensors");
  file.expect_end();
  return result;
}

std::optional<DType> dtype_in_file(std::string_view name) {
  for (const DType type : {DType::f32, DType::f16, DType::i32, DType::u8})
    if (name == name_in_file(type)) return type;
  return std::nullopt;
}

void write_safetensors(const char* operation, const std::string& path, const SafetensorsMetadata& metadata,
                       std::span<const SafetensorsTensor> tensors, bool keep_previous) {
  const std::vector<const SafetensorsTensor*> order = checked(operation, path, tensors);
  std::string header;
  try {
    header = header_of(metadata, order);
  } catch (const std::invalid_argument& error) {
    throw ArgumentError(operation, cat(path, ": a name or the metadata is not UTF-8: ", shown(error.what())));
  }
  if (header.size() - safetensors_prefix > most_safetensors_header)
    throw ArgumentError(operation, cat(path, ": a header of ", header.size(), " bytes; the format has at most ", most_safetensors_header));
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(header))};
  for (const SafetensorsTensor* tensor : order) pieces.push_back(tensor->bytes);
  replace_file(operation, path, pieces, keep_previous);
}

}  // namespace tidepool::inline v0
