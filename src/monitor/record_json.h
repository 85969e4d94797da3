// The record as JSON, piece by piece: what documents, updates and run files are written and read with. Heavy to include; few do.
//
//     RecordWriter writer;
//     fields(writer, run);
//     writer.object.dump(…);
//
//     RecordReader reader(json);            // an object; IoError names the value that is not what it should be
//     fields(reader, run);
#pragma once

#include <tidepool/error.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "memory/block.h"
#include "monitor/record_fields.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

using OrderedJson = nlohmann::ordered_json;
using Json = nlohmann::json;  // to read: it finds keys in a hostile object of a million of them

constexpr const char* record_format = "tidepool run 1";
constexpr std::size_t most_listed = 100'000;  // entries of any list that is read: far more than any record has

std::string text_of(const OrderedJson& json);                   // on one line; what is not UTF-8 is replaced
Json parse_json(std::string_view text, std::string_view what);  // IoError for what is none

class RecordWriter {
 public:
  struct Leaves {
    double since = -std::numeric_limits<double>::infinity();  // what is no newer
    bool pool = false, lists = false;
  };
  RecordWriter() = default;
  explicit RecordWriter(const Leaves& leaves) : leaves_(leaves) {}

  OrderedJson object = OrderedJson::object();

  template <class T>
  void operator()(const char* key, const T& value) {
    object[key] = json_of(value);
  }
  void loss(const char* key, const std::optional<double>& value) { object[key] = value ? json_of_loss(*value) : OrderedJson(); }
  void loss(const char* key, double value) { object[key] = json_of_loss(value); }
  void loss_only_if(bool has, const char* key, double value) { object[key] = has ? json_of_loss(value) : OrderedJson(); }
  void only_if(bool has, const char* key, double value) { object[key] = has ? json_of(value) : OrderedJson(); }
  template <class Kind>
  void kind(const char* key, Kind value) {
    object[key] = name_of(value);
  }
  void by_tag(const char* key, const std::vector<std::size_t>& bytes) { object[key] = bytes; }
  void format(const char* key) { object[key] = record_format; }
  void tags(const char* key) {
    OrderedJson& names = object[key] = OrderedJson::array();
    for (std::size_t i = 0; i < memory_tags; ++i) names.push_back(name_of(static_cast<MemoryTag>(i)));
  }
  template <class T>
  void news(const char* key, const std::vector<T>& all) {
    if (leaves_.lists) return;
    OrderedJson& list = object[key] = OrderedJson::array();
    for (const T& entry : all)
      if (entry.time > leaves_.since) list.push_back(json_of(entry));
  }
  template <class T>
  void list(const char* key, const std::vector<T>& all) {
    if (leaves_.lists) return;
    OrderedJson& list = object[key] = OrderedJson::array();
    for (const T& entry : all) list.push_back(json_of(entry));
  }
  void pool(const char* key, const std::optional<PoolMap>& map) {
    if (!leaves_.lists) object[key] = map && !leaves_.pool ? json_of(*map) : OrderedJson();
  }
  void figures(const char* key, const std::map<std::string, FigureSummary>& all) {
    if (leaves_.lists) return;
    OrderedJson& map = object[key] = OrderedJson::object();
    for (const auto& [name, figure] : all) map[name] = json_of(figure);
  }

  template <class T>
  static OrderedJson json_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;  // a number that is not finite is written as null
    } else {
      RecordWriter inner;
      fields(inner, value);
      return std::move(inner.object);
    }
  }
  template <class T>
  static OrderedJson json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : OrderedJson();
  }
  static OrderedJson json_of(const PoolBlock& b) { return OrderedJson::array({b.offset, b.bytes, b.tag, b.holder}); }

 private:
  static OrderedJson json_of_loss(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  Leaves leaves_{};
};

// Where a value is: "samples[3].loss". Made into text only for an error.
struct JsonPlace {
  const JsonPlace* in = nullptr;
  std::string_view key;
  std::size_t index = 0;  // where the key is empty

  std::string text() const;
  [[noreturn]] void fail(const Json& got, std::string_view wanted) const;
};

class RecordReader {
 public:
  explicit RecordReader(const Json& object, const JsonPlace& place = {});

  template <class T>
  void operator()(const char* key, T& value) {
    if (const Json* found = find(key)) read(*found, {&place_, key}, value);
  }
  void loss(const char* key, double& value) {
    if (const Json* found = find(key)) value = loss_of(*found, {&place_, key});
  }
  void loss(const char* key, std::optional<double>& value) {
    if (const Json* found = find(key); found && !found->is_null()) value = loss_of(*found, {&place_, key});
  }
  void loss_only_if(bool& has, const char* key, double& value) {
    const Json* found = find(key);
    if (!found || found->is_null()) return;
    has = true;
    loss(key, value);
  }
  void only_if(bool& has, const char* key, double& value) {
    const Json* found = find(key);
    if (!found || found->is_null()) return;
    has = true;
    read(*found, {&place_, key}, value);
  }
  template <class Kind>
  void kind(const char* key, Kind& value) {
    if (const Json* found = find(key)) read_kind(*found, {&place_, key}, value);
  }
  void by_tag(const char* key, std::vector<std::size_t>& bytes);
  void format(const char* key) const;
  void tags(const char* key) const;
  template <class T>
  void news(const char* key, std::vector<T>& all) {
    list(key, all);
  }
  template <class T>
  void list(const char* key, std::vector<T>& all) {
    const Json* found = find(key);
    if (!found) return;
    const JsonPlace place{&place_, key};
    check_list(*found, place);
    all.resize(found->size());
    for (std::size_t i = 0; i < all.size(); ++i) read((*found)[i], {&place, {}, i}, all[i]);
  }
  void pool(const char* key, std::optional<PoolMap>& map) { (*this)(key, map); }
  void figures(const char* key, std::map<std::string, FigureSummary>& all);

 private:
  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  static void check_list(const Json& json, const JsonPlace& place);
  static double loss_of(const Json& json, const JsonPlace& place);
  static void read(const Json& json, const JsonPlace& place, bool& value);
  static void read(const Json& json, const JsonPlace& place, double& value);
  static void read(const Json& json, const JsonPlace& place, std::int64_t& value);
  static void read(const Json& json, const JsonPlace& place, std::uint64_t& value);
  static void read(const Json& json, const JsonPlace& place, std::string& value);
  static void read(const Json& json, const JsonPlace& place, PoolBlock& block);
  static void read_kind(const Json& json, const JsonPlace& place, Anomaly::Kind& value);
  static void read_kind(const Json& json, const JsonPlace& place, Advice::Kind& value);
  template <class T>
  static void read(const Json& json, const JsonPlace& place, std::optional<T>& value) {
    if (!json.is_null()) read(json, place, value.emplace());
  }
  template <class T>
  static void read(const Json& json, const JsonPlace& place, T& value) {
    RecordReader inner(json, place);
    fields(inner, value);
  }

  const Json& object_;
  JsonPlace place_;
};

}  // namespace tidepool::inline v0::monitor
