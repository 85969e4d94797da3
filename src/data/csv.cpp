#include <tidepool/data.h>
#include <tidepool/error.h>

#include "data/samples.h"
#include "io/text.h"
#include "platform/cat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> number_in(std::string_view field) {
  if (field.starts_with('+') && !field.substr(1).starts_with('-')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || field.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {  // too close to 0, or too large
    const std::size_t exponent = field.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos ? field.find_first_of("123456789") > field.find('.')
                                                         : field.substr(exponent + 1).starts_with('-');
    return tiny ? 0.0 : std::numeric_limits<double>::max();
  }
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The lines of the text, and the fields of each.
class Table {
 public:
  explicit Table(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark
  }

  // The next line that is not blank. Fields hold until the next call.
  bool next(char separator) {
    fields.clear();
    unquoted_.clear();
    problem.clear();
    while (!rest_.empty()) {
      ++line;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (trimmed(text).empty()) continue;
      split(text, separator);
      return true;
    }
    return false;
  }
  std::string_view peek() {  // the next line that is not blank
    std::string_view rest = rest_;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (!trimmed(rest.substr(0, end)).empty()) return rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }

  std::size_t line = 0;
  std::vector<std::string_view> fields;
  std::string problem;  // with the quotes of this line

 private:
  void split(std::string_view text, char separator) {
    unquoted_.reserve(text.size());  // so that views into it stay
    for (;;) {
      std::string_view start = text;
      while (!start.empty() && start.front() == ' ') start.remove_prefix(1);
      if (start.starts_with('"')) {
        text = start;
        fields.push_back(quoted(text));
        if (!problem.empty()) return;
        if (!text.empty() && text.front() != separator) {
          problem = "something follows a closing quote";
          return;
        }
      } else {
        const std::size_t end = std::min(text.find(separator), text.size());
        fields.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(end);
      }
      if (text.empty()) return;
      text.remove_prefix(1);
    }
  }
  std::string_view quoted(std::string_view& text) {
    const std::size_t begin = unquoted_.size();
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] != '"') {
        unquoted_ += text[i];
      } else if (text.substr(i + 1).starts_with('"')) {
        unquoted_ += text[i++];
      } else {
        text = text.substr(i + 1);
        while (!text.empty() && (text.front() == ' ' || text.front() == '\r')) text.remove_prefix(1);
        return trimmed(std::string_view(unquoted_).substr(begin));
      }
    }
    problem = "a quote is not closed on its line";
    return {};
  }

  std::string_view rest_;
  std::string unquoted_;
};

char find_separator(std::string_view line) {
  char best = ',';
  for (const char c : {',', ';', '\t'})
    if (std::ranges::count(line, c) > std::ranges::count(line, best)) best = c;
  return best;
}

class Reader {
 public:
  Reader(const std::string& path, const CsvOptions& options, std::string_view text)
      : path_(path),
        options_(options),
        size_(text.size()),
        lines_(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1),
        table_(text) {}

  Dataset read() {
    const char separator = options_.separator ? options_.separator : find_separator(table_.peek());
    for (bool first = true; table_.next(separator); first = false) {
      if (!table_.problem.empty()) fail(table_.problem);
      if (first) start();
      if (first && is_header()) continue;
      add_row();
    }
    if (columns_ == 0) throw IoError("csv", cat(path_, ": is empty"));
    return make_dataset(rows(DType::f32, Shape{columns_ - 1}, std::move(x_)), targets());
  }

 private:
  [[noreturn]] void fail(std::string_view message) const { throw IoError("csv", cat(path_, ": line ", table_.line, ": ", message)); }

  void start() {
    columns_ = static_cast<std::int64_t>(table_.fields.size());
    labelled_ = options_.labels.value_or(true);
    if (columns_ < 2) fail("one column; wanted at least one for x and one for y (is .separator right?)");
    if (options_.target < -columns_ || options_.target >= columns_)
      throw ArgumentError("csv", cat(path_, ": .target is ", options_.target, "; the file has ", columns_, " columns"));
    target_ = static_cast<std::size_t>(options_.target < 0 ? options_.target + columns_ : options_.target);
    const auto columns = static_cast<std::size_t>(columns_);
    const std::size_t rows = std::min(lines_, size_ / (2 * columns) + 1);  // a field has two bytes at least
    x_.reserve(rows * (columns - 1));
    labels_.reserve(rows);
  }
  bool is_header() const {
    if (options_.header) return *options_.header;
    return std::ranges::any_of(table_.fields, [](std::string_view field) { return !field.empty() && !number_in(field); });
  }
  void add_row() {
    if (std::cmp_not_equal(table_.fields.size(), columns_)) fail(cat(table_.fields.size(), " fields; the first line has ", columns_));
    ++count_;
    for (std::size_t i = 0; i < table_.fields.size(); ++i) {
      const std::string_view field = table_.fields[i];
      const std::optional<double> value = number_in(field);
      if (!value) fail(cat("column ", i + 1, field.empty() ? " is empty" : cat(" is ", shown(field, 32), ", which is no number")));
      if (std::isfinite(*value) && std::abs(*value) > std::numeric_limits<float>::max())
        fail(cat("column ", i + 1, " is ", shown(field, 32), ", which is too large for f32"));
      if (i != target_)
        x_.push_back(static_cast<float>(*value));
      else
        add_target(*value);
    }
  }
  void add_target(double value) {
    const bool whole = value >= 0 && value <= std::numeric_limits<std::int32_t>::max() && value == std::floor(value);
    if (!whole && options_.labels == true)
      fail(cat("column ", target_ + 1, " is ", shown(table_.fields[target_], 32), "; a label is a whole number from 0 to 2147483647"));
    if (labelled_ && whole) return labels_.push_back(static_cast<std::int32_t>(value));
    if (std::exchange(labelled_, false)) {  // until now all could have been labels
      reals_.reserve(labels_.capacity());
      reals_.assign(labels_.begin(), labels_.end());
      labels_ = {};
    }
    reals_.push_back(static_cast<float>(value));
  }
  Rows targets() { return labelled_ ? rows(DType::i32, Shape{}, std::move(labels_)) : rows(DType::f32, Shape{1}, std::move(reals_)); }
  template <class T>
  Rows rows(DType type, const Shape& shape, std::vector<T> values) const {
    return {.dtype = type, .count = count_, .shape = shape, .numbers = keep(std::move(values))};
  }

  const std::string& path_;
  const CsvOptions& options_;
  std::size_t size_, lines_;
  Table table_;
  std::int64_t columns_ = 0;
  std::size_t target_ = 0;
  std::int64_t count_ = 0;
  bool labelled_ = true;
  std::vector<float> x_, reals_;
  std::vector<std::int32_t> labels_;
};

}  // namespace

Dataset csv(const std::string& path, const CsvOptions& options) {
  const std::vector<std::byte> bytes = read_file("csv", path);
  return Reader(path, options, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}).read();
}

}  // namespace data
}  // namespace tidepool::inline v0
