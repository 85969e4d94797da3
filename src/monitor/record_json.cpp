#include "monitor/record_json.h"

#include <algorithm>
#include <array>

#include "io/json.h"
#include "platform/one_line.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::array anomaly_names{"step_time", "memory", "leak", "loss", "loader", "evictions"};  // as the kinds are declared
constexpr std::array advice_names{"batch", "flush", "cache", "threads", "loader", "device", "memory"};

// A value of a hostile document, for a message: short, and on one line.
std::string shown(const Json& json) {
  constexpr std::size_t most = 60;
  if (json.is_object() || json.is_array()) return cat(json.is_object() ? "an object" : "a list", " of ", json.size());
  return one_line(json.dump(-1, ' ', true, Json::error_handler_t::replace), most);
}

// Looks through a document before memory is taken for each of its values.
class Measure : public JsonHandler {
 public:
  static constexpr std::size_t most_values = 1'000'000;  // a record has about a hundred thousand

  bool start_object() override { return other_value(); }
  bool end_object() override { return true; }
  bool start_array() override { return other_value(); }
  bool end_array() override { return true; }
  bool key(const JsonString&) override { return true; }
  bool string(const JsonString&) override { return other_value(); }
  bool whole_number(std::uint64_t) override { return other_value(); }
  bool other_value() override { return ++values_ <= most_values; }

 private:
  std::size_t values_ = 0;
};

template <class Kind, std::size_t count>
void read_name(const Json& json, const JsonPlace& place, const std::array<const char*, count>& names, Kind& value) {
  const auto* const name = json.get_ptr<const std::string*>();
  const auto found = name ? std::ranges::find(names, *name) : names.end();
  if (found == names.end()) {
    std::string wanted = "one of";
    for (const char* known : names) wanted += cat(' ', known);
    place.fail(json, wanted);
  }
  value = static_cast<Kind>(found - names.begin());
}

}  // namespace

const char* name_of(Anomaly::Kind kind) { return anomaly_names.at(static_cast<std::size_t>(kind)); }
const char* name_of(Advice::Kind kind) { return advice_names.at(static_cast<std::size_t>(kind)); }

std::string text_of(const OrderedJson& json) { return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

Json parse_json(std::string_view text, std::string_view what) {
  Measure measure;
  JsonProblem problem;
  if (!parse_json_text(text, measure, problem)) {
    if (problem.what) throw IoError("run", cat(what, " is not JSON: byte ", problem.offset, ": ", problem.what));
    throw IoError("run", cat(what, " has more than ", Measure::most_values, " values; it is no record"));
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    std::string_view why = error.what();
    if (const std::size_t number = why.find("] "); number != std::string_view::npos) why.remove_prefix(number + 2);  // the parser's own
    constexpr std::size_t most = 160;  // it shows what it read last, however long that is
    throw IoError("run", cat(what, " is not JSON: ", one_line(why, most)));
  }
}

std::string to_json(const RunRecord& run) {
  RecordWriter writer;
  fields(writer, run);
  return text_of(writer.object);
}

std::string update_json(const RunRecord& run, double since, bool with_pool) {
  RecordWriter writer({.since = since, .pool = !with_pool});
  fields(writer, run);
  return text_of(writer.object);
}

RunRecord run_from_json(const std::string& text) {
  const Json document = parse_json(text, "the record");
  RecordReader reader(document);
  RunRecord run;
  fields(reader, run);
  return run;
}

std::string JsonPlace::text() const {
  if (key.empty() && !in) return "the record";
  if (key.empty()) return cat(in->text(), '[', index, ']');
  return in && (in->in || !in->key.empty()) ? cat(in->text(), '.', key) : std::string(key);
}

void JsonPlace::fail(const Json& got, std::string_view wanted) const {
  throw IoError("run", cat(text(), ": got ", shown(got), ", wanted ", wanted));
}

RecordReader::RecordReader(const Json& object, const JsonPlace& place) : object_(object), place_(place) {
  if (!object.is_object()) place.fail(object, "an object");
}

void RecordReader::format(const char* key) const {
  const Json* found = find(key);
  if (!found || *found != record_format) JsonPlace{&place_, key}.fail(found ? *found : Json(), cat('"', record_format, '"'));
}

// Bytes by tag mean nothing with other tags. A document may have fewer, as an earlier version had.
void RecordReader::tags(const char* key) const {
  const Json* found = find(key);
  if (!found) return;
  const JsonPlace place{&place_, key};
  check_list(*found, place);
  for (std::size_t i = 0; i < found->size(); ++i) {
    const char* name = i < memory_tags ? name_of(static_cast<MemoryTag>(i)) : "no more of them";
    if ((*found)[i] != name) JsonPlace{&place, {}, i}.fail((*found)[i], name);
  }
}

void RecordReader::by_tag(const char* key, std::vector<std::size_t>& bytes) {
  const Json* found = find(key);
  if (!found) return;
  const JsonPlace place{&place_, key};
  check_list(*found, place);
  if (found->size() > memory_tags) place.fail(*found, cat("a list of ", memory_tags));
  if (!found->empty()) bytes.assign(memory_tags, 0);
  for (std::size_t i = 0; i < found->size(); ++i) read((*found)[i], {&place, {}, i}, bytes[i]);
}

void RecordReader::figures(const char* key, std::map<std::string, FigureSummary>& all) {
  const Json* found = find(key);
  if (!found) return;
  const JsonPlace place{&place_, key};
  if (!found->is_object() || found->size() > most_listed) place.fail(*found, cat("an object of at most ", most_listed));
  std::size_t i = 0;
  for (const auto& [name, figure] : found->items()) read(figure, {&place, {}, i++}, all[name]);
}

void RecordReader::check_list(const Json& json, const JsonPlace& place) {
  if (!json.is_array() || json.size() > most_listed) place.fail(json, cat("a list of at most ", most_listed));
}

double RecordReader::loss_of(const Json& json, const JsonPlace& place) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  double value = 0;
  read(json, place, value);
  return value;
}

void RecordReader::read(const Json& json, const JsonPlace& place, bool& value) {
  if (!json.is_boolean()) place.fail(json, "true or false");
  value = json.get<bool>();
}

void RecordReader::read(const Json& json, const JsonPlace& place, double& value) {
  if (!json.is_number() && !json.is_null()) place.fail(json, "a number");
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

void RecordReader::read(const Json& json, const JsonPlace& place, std::int64_t& value) {
  if (!json.is_number_integer() || (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())))
    place.fail(json, "a whole number of 64 bits");
  value = json.get<std::int64_t>();
}

void RecordReader::read(const Json& json, const JsonPlace& place, std::uint64_t& value) {
  if (!json.is_number_unsigned()) place.fail(json, "a whole number from 0");
  value = json.get<std::uint64_t>();
}

void RecordReader::read(const Json& json, const JsonPlace& place, std::string& value) {
  if (!json.is_string()) place.fail(json, "a string");
  value = json.get<std::string>();
}

void RecordReader::read(const Json& json, const JsonPlace& place, PoolBlock& block) {
  if (!json.is_array() || json.size() != 4) place.fail(json, "a list of offset, bytes, tag and holder");
  read(json[0], {&place, {}, 0}, block.offset);
  read(json[1], {&place, {}, 1}, block.bytes);
  const JsonPlace third{&place, {}, 2};
  std::int64_t tag = 0;
  read(json[2], third, tag);
  if (tag < -1 || tag >= static_cast<std::int64_t>(memory_tags)) third.fail(json[2], cat("a tag from -1 to ", memory_tags - 1));
  block.tag = static_cast<std::int32_t>(tag);
  read(json[3], {&place, {}, 3}, block.holder);
}

void RecordReader::read_kind(const Json& json, const JsonPlace& place, Anomaly::Kind& value) {
  read_name(json, place, anomaly_names, value);
}
void RecordReader::read_kind(const Json& json, const JsonPlace& place, Advice::Kind& value) { read_name(json, place, advice_names, value); }

}  // namespace tidepool::inline v0::monitor
