#include "monitor/csv.h"

#include "memory/block.h"
#include "monitor/number_text.h"
#include "monitor/record_fields.h"

namespace tidepool::inline v0::monitor {

namespace {

// The fields of a sample (record_fields.h), by their names or their values.
class CsvLine {
 public:
  CsvLine(std::string& out, bool names) : out_(out), names_(names) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    names_ ? text(key) : put(value);
    out_ += ',';
  }
  void loss(const char* key, const std::optional<double>& value) { (*this)(key, value); }
  void by_tag(const char*, const std::vector<std::size_t>& bytes) {
    for (std::size_t i = 0; i < memory_tags; ++i)
      (*this)(name_of(static_cast<MemoryTag>(i)), i < bytes.size() ? std::optional(bytes[i]) : std::nullopt);
  }
  void end() { out_.back() = '\n'; }

 private:
  template <class Number>
  void put(Number value) {
    append_number(out_, value);
  }
  template <class Number>
  void put(const std::optional<Number>& value) {
    if (value) append_number(out_, *value);
  }
  void put(const std::string& value) { text(value); }
  void text(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += value;
      return;
    }
    out_ += '"';
    for (const char c : value) out_.append(c == '"' ? 2 : 1, c);
    out_ += '"';
  }

  std::string& out_;
  bool names_;
};

}  // namespace

std::string samples_csv(const RunRecord& run) {
  std::string out;
  CsvLine head(out, true);
  const Sample none;
  fields(head, none);
  head.end();
  for (const Sample& sample : run.samples) {
    CsvLine line(out, false);
    fields(line, sample);
    line.end();
  }
  return out;
}

}  // namespace tidepool::inline v0::monitor
