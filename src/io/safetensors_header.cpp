#include "io/safetensors_header.h"

#include "io/text.h"
#include "platform/cat.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace tidepool::inline v0 {

namespace {

struct Type {
  std::string_view name;
  std::size_t bits;
};
constexpr std::array<Type, 22> types{{{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
                                      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
                                      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
                                      {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}}};

// Takes the header token by token; a token that does not belong where it stands ends the parsing with a problem.
class Reader {
 public:
  SafetensorsHeader header;
  std::string problem;

  // What nlohmann's parser calls.
  bool null() { return scalar(); }
  bool boolean(bool) { return scalar(); }
  bool number_integer(std::int64_t) { return scalar(); }  // negative ones only
  bool number_float(double, const std::string&) { return scalar(); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool number_unsigned(std::uint64_t value) {
    if (state_ != State::shape && state_ != State::offsets) return scalar();
    if (!std::in_range<std::int64_t>(value)) return wrong(cat("has the number ", value, ", which is too large"));
    if (state_ == State::shape && rank_ == sizes_.size()) return wrong(cat("has more than ", sizes_.size(), " axes"));
    if (state_ == State::offsets && offsets_ == 2) return wrong("has more than two data_offsets");
    if (state_ == State::shape)
      sizes_[rank_++] = static_cast<std::int64_t>(value);
    else
      (offsets_++ == 0 ? entry_.begin : entry_.end) = static_cast<std::size_t>(value);
    return true;
  }
  bool string(std::string& value) {
    if (state_ == State::metadata) {
      if (!header.metadata.emplace(std::move(key_), std::move(value)).second) return wrong("has a key twice");
      return true;
    }
    if (state_ != State::entry || field_ != Field::dtype) return scalar();
    entry_.dtype = std::move(value);
    return true;
  }
  bool key(std::string& value) {
    if (skipping_ > 0) return true;
    key_ = std::move(value);
    if (state_ == State::tensors) entry_.name = key_;
    if (state_ != State::entry) return true;
    field_ = key_ == "dtype" ? Field::dtype : key_ == "shape" ? Field::shape : key_ == "data_offsets" ? Field::offsets : Field::other;
    if (field_ == Field::other) return true;  // the reference lets unknown ones be
    if (has_[static_cast<std::size_t>(field_)]) return wrong(cat("has ", key_, " twice"));
    return has_[static_cast<std::size_t>(field_)] = true;
  }
  bool start_object(std::size_t) {
    if (skips()) return true;
    if (state_ == State::before) return enter(State::tensors);
    if (state_ != State::tensors) return wrong("has an object where none belongs");
    if (key_ == "__metadata__") {
      if (std::exchange(has_metadata_, true)) return wrong("is there twice");
      return enter(State::metadata);
    }
    entry_ = {.name = std::move(entry_.name), .dtype = {}, .shape = {}};
    has_ = {};
    rank_ = offsets_ = 0;
    return enter(State::entry);
  }
  bool end_object() {
    if (skipping_ > 0) return leave_skipped();
    if (state_ == State::entry && !add_entry()) return false;
    return enter(state_ == State::tensors ? State::after : State::tensors);
  }
  bool start_array(std::size_t) {
    if (skips()) return true;
    if (state_ == State::entry && field_ == Field::shape) return enter(State::shape);
    if (state_ == State::entry && field_ == Field::offsets) return enter(State::offsets);
    return wrong("has a list where none belongs");
  }
  bool end_array() {
    if (skipping_ > 0) return leave_skipped();
    return enter(State::entry);
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    constexpr std::size_t most = 160;
    problem = cat("byte ", safetensors_prefix + position - std::min<std::size_t>(position, 1),
                  ": the header is not JSON: ", shown(error.what(), most));
    return false;
  }

 private:
  enum class State : std::uint8_t { before, tensors, metadata, entry, shape, offsets, after };
  enum class Field : std::uint8_t { dtype, shape, offsets, other };

  bool enter(State state) {
    state_ = state;
    return true;
  }
  bool wrong(std::string_view what) {
    const bool in_tensor = state_ >= State::entry && state_ != State::after;
    problem = cat("key ", shown(in_tensor ? entry_.name : state_ == State::metadata ? "__metadata__" : key_), ": ", what);
    return false;
  }
  bool skips() {  // the value of an unknown field, whatever it holds
    if (skipping_ == 0 && !(state_ == State::entry && field_ == Field::other)) return false;
    ++skipping_;
    return true;
  }
  bool leave_skipped() {
    --skipping_;
    return true;
  }
  bool scalar() {  // any value that is not the one wanted
    if (skipping_ > 0 || (state_ == State::entry && field_ == Field::other)) return true;
    switch (state_) {
      case State::before:
        problem = cat("byte ", safetensors_prefix, ": the header is not a JSON object");
        return false;
      case State::metadata:
        return wrong(cat("the value of ", shown(key_), " is not a string"));
      case State::shape:
        return wrong("shape has something other than whole numbers from 0");
      case State::offsets:
        return wrong("data_offsets has something other than whole numbers from 0");
      default:
        return wrong("has a value of the wrong kind");
    }
  }
  bool add_entry() {
    for (const Field field : {Field::dtype, Field::shape, Field::offsets})
      if (!has_[static_cast<std::size_t>(field)]) return wrong("is without dtype, shape or data_offsets");
    if (offsets_ != 2) return wrong("wants two data_offsets");
    entry_.shape = Shape(std::span<const std::int64_t>(sizes_.data(), rank_));
    header.entries.push_back(std::move(entry_));
    return true;
  }

  State state_ = State::before;
  Field field_ = Field::other;
  std::size_t skipping_ = 0;  // how deep in a value that is passed over
  bool has_metadata_ = false;
  std::string key_;
  SafetensorsEntry entry_;
  std::array<bool, 3> has_{};
  std::array<std::int64_t, Shape::max_rank> sizes_{};
  std::size_t rank_ = 0, offsets_ = 0;
};

// Bytes that a tensor of this shape and type has; none when they cannot be counted, or do not fill their last byte.
std::optional<std::size_t> bytes_of(const SafetensorsEntry& entry, std::size_t bits) {
  std::size_t product = bits;
  for (const std::int64_t size : entry.shape)
    if (__builtin_mul_overflow(product, static_cast<std::size_t>(size), &product)) return std::nullopt;
  if (product % 8 != 0) return std::nullopt;
  return product / 8;
}

void check_entry(const SafetensorsEntry& entry, std::size_t begin, const FailWith& fail) {
  const std::string where = cat("key ", shown(entry.name), ": ");
  const std::optional<std::size_t> bits = bits_of(entry.dtype);
  if (!bits) fail(cat(where, "unknown dtype ", shown(entry.dtype)));
  if (entry.begin != begin || entry.end < entry.begin)
    fail(cat(where, "data_offsets [", entry.begin, ", ", entry.end, "] leave a hole or overlap: wanted them from ", begin));
  const std::optional<std::size_t> bytes = bytes_of(entry, *bits);
  if (!bytes) fail(cat(where, entry.dtype, ' ', entry.shape, " is no whole number of bytes that 64 bits can count"));
  if (entry.end - entry.begin != *bytes)
    fail(cat(where, entry.dtype, ' ', entry.shape, " has ", *bytes, " bytes; data_offsets give it ", entry.end - entry.begin));
}

}  // namespace

std::optional<std::size_t> bits_of(std::string_view dtype) {
  const auto* const found = std::ranges::find(types, dtype, &Type::name);
  if (found == types.end()) return std::nullopt;
  return found->bits;
}

std::string json_string(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

SafetensorsHeader parse_safetensors_header(std::span<const char> text, const FailWith& fail) {
  if (text.empty() || text[0] != '{') fail(cat("byte ", safetensors_prefix, ": the header does not begin with {"));
  Reader reader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) fail(reader.problem);
  SafetensorsHeader header = std::move(reader.header);
  std::vector<SafetensorsEntry>& entries = header.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (const SafetensorsEntry& entry : entries) {
    check_entry(entry, header.data_bytes, fail);
    header.data_bytes = entry.end;
  }
  header.by_name.resize(entries.size());
  std::iota(header.by_name.begin(), header.by_name.end(), std::size_t{0});
  std::ranges::sort(header.by_name, {}, [&](std::size_t i) -> const std::string& { return entries[i].name; });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[header.by_name[i]].name == entries[header.by_name[i - 1]].name)
      fail(cat("key ", shown(entries[header.by_name[i]].name), ": is there twice"));
  return header;
}

}  // namespace tidepool::inline v0
