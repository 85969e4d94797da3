#include "io/safetensors_header.h"

#include "io/json.h"
#include "platform/cat.h"
#include "platform/one_line.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <tuple>
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

// Bytes that a tensor of this shape and type has; none when they cannot be counted, or do not fill their last byte.
std::optional<std::size_t> bytes_of(std::span<const std::int64_t> shape, std::size_t bits) {
  std::size_t product = bits;
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(product, static_cast<std::size_t>(size), &product)) return std::nullopt;
  if (product % 8 != 0) return std::nullopt;
  return product / 8;
}

// What is known of one tensor while its object is read. Strings are as the text has them.
struct Described {
  JsonString name, dtype;
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::size_t rank = 0, offsets = 0, begin = 0, end = 0;

  std::span<const std::int64_t> shape() const { return std::span(sizes).first(rank); }
};

// Takes the header token by token; a token that does not belong where it stands ends the parsing with a problem.
class Reader : public JsonHandler {
 public:
  std::string problem;

  bool whole_number(std::uint64_t value) override {
    if (state_ != State::shape && state_ != State::offsets) return other_value();
    if (!std::in_range<std::int64_t>(value)) return wrong(cat("has the number ", value, ", which is too large"));
    if (state_ == State::shape && tensor_.rank == tensor_.sizes.size()) return wrong(cat("has more than ", tensor_.sizes.size(), " axes"));
    if (state_ == State::offsets && tensor_.offsets == 2) return wrong("has more than two data_offsets");
    if (state_ == State::shape)
      tensor_.sizes[tensor_.rank++] = static_cast<std::int64_t>(value);
    else
      (tensor_.offsets++ == 0 ? tensor_.begin : tensor_.end) = static_cast<std::size_t>(value);
    return true;
  }
  bool string(const JsonString& value) override {
    if (state_ == State::metadata) return add_metadata(key_, value);
    if (state_ != State::entry || field_ != Field::dtype) return other_value();
    tensor_.dtype = value;
    return true;
  }
  bool key(const JsonString& name) override {
    if (skipping_ > 0) return true;
    key_ = name;
    if (state_ != State::entry) return true;
    field_ = is(name, "dtype") ? Field::dtype : is(name, "shape") ? Field::shape : is(name, "data_offsets") ? Field::offsets : Field::other;
    if (field_ == Field::other) return true;  // the reference lets unknown ones be
    bool& has = has_[static_cast<std::size_t>(field_)];
    if (has) return wrong(cat("has ", name.text(), " twice"));
    return has = true;
  }
  bool start_object() override {
    if (skips()) return true;
    if (state_ == State::before) return enter(State::tensors);
    if (state_ != State::tensors) return wrong("has an object where none belongs");
    if (is(key_, "__metadata__")) {
      if (std::exchange(has_metadata_, true)) return wrong("is there twice");
      return enter(State::metadata);
    }
    tensor_ = {.name = key_, .dtype = {}};
    has_ = {};
    return enter(State::entry);
  }
  bool end_object() override {
    if (skipping_ > 0) return leave_skipped();
    if (state_ == State::entry && !check_tensor()) return false;
    return enter(state_ == State::tensors ? State::after : State::tensors);
  }
  bool start_array() override {
    if (skips()) return true;
    if (state_ == State::entry && field_ == Field::shape) return enter(State::shape);
    if (state_ == State::entry && field_ == Field::offsets) return enter(State::offsets);
    return wrong("has a list where none belongs");
  }
  bool end_array() override {
    if (skipping_ > 0) return leave_skipped();
    return enter(State::entry);
  }
  bool other_value() override {  // any that is not the one wanted
    if (skipping_ > 0 || (state_ == State::entry && field_ == Field::other)) return true;
    switch (state_) {
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

 protected:
  virtual bool add_tensor(const Described& tensor) = 0;
  virtual bool add_metadata(const JsonString& key, const JsonString& value) = 0;
  bool wrong(std::string_view what) {
    constexpr JsonString metadata{.written = "__metadata__"};
    problem = cat("key ", shown(state_ >= State::entry ? tensor_.name : state_ == State::metadata ? metadata : key_), ": ", what);
    return false;
  }

  static std::string shown(const JsonString& string) {  // a name may be of any length
    constexpr std::size_t enough = 4096;
    if (string.written.size() > enough) return tidepool::shown(string.written.substr(0, enough));
    return tidepool::shown(string.text());
  }

 private:
  enum class State : std::uint8_t { before, after, tensors, metadata, entry, shape, offsets };  // those of a tensor last
  enum class Field : std::uint8_t { dtype, shape, offsets, other };

  static bool is(const JsonString& string, std::string_view text) {
    constexpr std::size_t most_escaped = 6 * 16;  // bytes of a name of ours, were each written by its number
    if (!string.escaped) return string.written == text;
    if (string.written.size() > most_escaped) return false;
    const std::string meant = string.text();
    return meant == text;
  }
  bool enter(State state) {
    state_ = state;
    return true;
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
  bool check_tensor() {
    for (const Field field : {Field::dtype, Field::shape, Field::offsets})
      if (!has_[static_cast<std::size_t>(field)]) return wrong("is without dtype, shape or data_offsets");
    if (tensor_.offsets != 2) return wrong("wants two data_offsets");
    const std::optional<std::size_t> bits = bits_of(tensor_.dtype.written);
    if (!bits) return wrong(cat("unknown dtype ", shown(tensor_.dtype)));
    const auto type = [&] { return cat(tensor_.dtype.written, ' ', Shape(tensor_.shape())); };
    const std::optional<std::size_t> bytes = bytes_of(tensor_.shape(), *bits);
    if (!bytes) return wrong(cat(type(), " is no whole number of bytes that 64 bits can count"));
    if (tensor_.end >= tensor_.begin && tensor_.end - tensor_.begin != *bytes)
      return wrong(cat(type(), " has ", *bytes, " bytes; data_offsets give it ", tensor_.end - tensor_.begin));
    return add_tensor(tensor_);
  }

  State state_ = State::before;
  Field field_ = Field::other;
  std::size_t skipping_ = 0;  // how deep in a value that is passed over
  bool has_metadata_ = false;
  JsonString key_;
  Described tensor_;
  std::array<bool, 3> has_{};
};

// First time through: whether all is well, at a few bytes for each tensor.
class Checker : public Reader {
 public:
  struct Place {
    std::size_t begin, end;
    std::uint64_t name;  // its hash
    std::size_t number;  // of the tensor, as they come
  };
  explicit Checker(std::size_t most_tensors) { places.reserve(most_tensors); }
  std::vector<Place> places;

 private:
  bool add_tensor(const Described& tensor) override {
    places.push_back({tensor.begin, tensor.end, hash_of(tensor.name), places.size()});
    return true;
  }
  bool add_metadata(const JsonString& key, const JsonString&) override {
    if (keys_.size() == most_safetensors_metadata) return wrong(cat("has more than ", most_safetensors_metadata, " keys"));
    const std::uint64_t hash = hash_of(key);
    if (std::ranges::find(keys_, hash) != keys_.end()) return wrong("has a key twice");
    keys_.push_back(hash);
    return true;
  }
  static std::uint64_t hash_of(const JsonString& name) {
    if (name.escaped) return std::hash<std::string>()(name.text());
    return std::hash<std::string_view>()(name.written);  // the same, by the standard
  }
  std::vector<std::uint64_t> keys_;
};

// Second time through: all of it.
class Keeper : public Reader {
 public:
  SafetensorsHeader header;

 private:
  bool add_tensor(const Described& tensor) override {
    header.entries.push_back({.name = tensor.name.text(),
                              .dtype = std::string(tensor.dtype.written),
                              .shape = Shape(tensor.shape()),
                              .begin = tensor.begin,
                              .end = tensor.end});
    return true;
  }
  bool add_metadata(const JsonString& key, const JsonString& value) override {
    header.metadata.emplace(key.text(), value.text());
    return true;
  }
};

// The name of one of the tensors, for a message.
class Finder : public Reader {
 public:
  explicit Finder(std::size_t number) : left_(number) {}
  std::string name;

 private:
  bool add_tensor(const Described& tensor) override {
    name = shown(tensor.name);
    return left_-- > 0;
  }
  bool add_metadata(const JsonString&, const JsonString&) override { return true; }
  std::size_t left_;
};

void parse(std::string_view text, Reader& reader, const FileReader& file) {
  JsonProblem problem;
  if (parse_json_text(text, reader, problem)) return;
  if (problem.what) file.fail(cat("byte ", safetensors_prefix + problem.offset, ": the header is not JSON: ", problem.what));
  file.fail(reader.problem);
}

// Together they are the data, without holes and overlaps, and no two have one name. How many bytes they have.
std::size_t check_places(std::vector<Checker::Place>& places, std::string_view text, const FileReader& file) {
  const auto name_of = [&](const Checker::Place& place) {
    Finder finder(place.number);
    JsonProblem problem;
    parse_json_text(text, finder, problem);
    return finder.name;
  };
  std::ranges::sort(places, {}, [](const Checker::Place& p) { return std::tuple(p.begin, p.end, p.number); });
  std::size_t end = 0;
  for (const Checker::Place& place : places) {
    if (place.begin != end || place.end < place.begin)
      file.fail(cat("key ", name_of(place), ": data_offsets [", place.begin, ", ", place.end,
                    "] leave a hole or overlap: wanted them from ", end));
    end = place.end;
  }
  std::ranges::sort(places, {}, &Checker::Place::name);
  if (const auto twice = std::ranges::adjacent_find(places, {}, &Checker::Place::name); twice != places.end())
    file.fail(cat("key ", name_of(*twice), ": is there twice"));
  return end;
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

SafetensorsHeader parse_safetensors_header(std::span<const char> header_text, FileReader& file) {
  const std::string_view text(header_text.data(), header_text.size());
  if (!text.starts_with('{')) file.fail(cat("byte ", safetensors_prefix, ": the header does not begin with {"));
  std::size_t data_bytes = 0, tensors = 0;
  {
    constexpr std::size_t least = 45;  // bytes that describe a tensor
    Checker checker(std::min(static_cast<std::size_t>(std::ranges::count(text, '{')), text.size() / least + 1));
    parse(text, checker, file);
    data_bytes = check_places(checker.places, text, file);
    tensors = checker.places.size();
  }
  file.expect_rest(data_bytes, data_bytes, "tensors");
  Keeper keeper;
  keeper.header.entries.reserve(tensors);
  parse(text, keeper, file);
  SafetensorsHeader header = std::move(keeper.header);
  header.data_bytes = data_bytes;
  std::vector<SafetensorsEntry>& entries = header.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  header.by_name.resize(entries.size());
  std::iota(header.by_name.begin(), header.by_name.end(), std::size_t{0});
  std::ranges::sort(header.by_name, {}, [&](std::size_t i) -> const std::string& { return entries[i].name; });
  return header;
}

}  // namespace tidepool::inline v0
