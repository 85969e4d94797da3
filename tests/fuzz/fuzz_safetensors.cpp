// A model's file: read by itself, and into a network. And what is JSON to us has to be JSON to others.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/target.h"
#include "io/json.h"
#include "io/safetensors.h"

namespace tidepool::fuzz {
namespace {

struct Anything : JsonHandler {
  bool start_object() override { return true; }
  bool end_object() override { return true; }
  bool start_array() override { return true; }
  bool end_array() override { return true; }
  bool key(const JsonString& name) override { return string(name); }
  bool string(const JsonString& value) override {
    require(nlohmann::json::parse('"' + std::string(value.written) + '"') == value.text(), "a string that means something else");
    return true;
  }
  bool whole_number(std::uint64_t) override { return true; }
  bool other_value() override { return true; }
};

void compare_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf") || text.find('\0') != text.npos) return;  // which the other lets pass
  Anything anything;
  JsonProblem problem;
  bool good = false;
  try {
    good = !nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {  // of a number that no double holds, and it reads no further
    return;
  } catch (const nlohmann::json::parse_error&) {  // it is none
  }
  require(parse_json_text(text, anything, problem) == good, "only one of two takes it for JSON");
}

void take(std::string_view bytes) {
  compare_json(bytes);
  if (bytes.size() > sizeof(std::uint64_t)) {
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    compare_json(bytes.substr(sizeof header, static_cast<std::size_t>(std::min<std::uint64_t>(header, bytes.size()))));
  }
  const MemoryFile file(bytes);
  taken([&] {
    const SafetensorsFile read = read_safetensors("load", file.path());
    for (const SafetensorsEntry& entry : read.entries()) {
      require(read.find(entry.name) == &entry, "a tensor is not found by its name");
      taken([&] { require(read.floats(entry).size() == static_cast<std::size_t>(entry.shape.numel()), "floats of another shape"); });
      taken([&] { require(read.integers(entry).size() == static_cast<std::size_t>(entry.shape.numel()), "integers of another shape"); });
    }
  });
  static nn::Sequential net{nn::Linear(2, 2)};
  taken([&] { load(net, file.path()); });
}

const Target target("safetensors", take);

}  // namespace
}  // namespace tidepool::fuzz
