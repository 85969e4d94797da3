#include <tidepool/data.h>
#include <tidepool/error.h>

#include "data/csv_text.h"
#include "data/samples.h"
#include "platform/cat.h"
#include "platform/one_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

constexpr std::size_t wide = std::size_t{64} << 10;  // bytes of a line

// What most fields are.
std::optional<double> small_number_in(std::string_view field) {
  constexpr std::size_t most_digits = 15;  // a double has them all
  if (field.empty() || field.size() > most_digits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return static_cast<double>(value);
}

std::optional<double> number_in(std::string_view field) {
  if (const auto small = small_number_in(field)) return small;
  if (field.starts_with('+') && !field.substr(1).starts_with('-')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || field.empty()) return std::nullopt;  // where there is no number, end is the beginning
  if (error == std::errc::result_out_of_range) {                                 // too close to 0, or too large
    const std::size_t exponent = field.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos ? field.find_first_of("123456789") > field.find('.')
                                                         : field.substr(exponent + 1).starts_with('-');
    return tiny ? 0.0 : std::numeric_limits<double>::max();
  }
  return value;
}

std::optional<double> number_in(const CsvFields& fields) { return fields.has_quote() ? std::nullopt : number_in(fields.value()); }

char find_separator(std::string_view line) {
  char best = ',';
  for (const char c : {',', ';', '\t'})
    if (std::ranges::count(line, c) > std::ranges::count(line, best)) best = c;
  return best;
}

// Reads the rows, or only looks whether all of them can be read.
class Reader {
 public:
  enum class Does : std::uint8_t { keep, check };
  Reader(const std::string& path, const CsvOptions& options, Does does)
      : path_(path), options_(options), separator_(options.separator), keeps_(does == Does::keep), lines_("csv", path) {}

  bool packed() const { return lines_.packed(); }

  // `most_rows`: no more than these by what is known of the file and its columns.
  Dataset read(const std::function<std::size_t(std::size_t columns)>& most_rows) {
    for (std::string_view line; lines_.next(line);) {
      if (trimmed(line).empty()) continue;
      if (columns_ == 0) {
        start(line);
        if (keeps_) reserve(most_rows(columns_));
        if (is_header(line)) continue;
      }
      add_row(line);
    }
    if (columns_ == 0) throw IoError("csv", cat(path_, ": is empty; wanted one sample a line"));
    if (!keeps_) return {};
    return make_dataset(rows(DType::f32, Shape{static_cast<std::int64_t>(columns_ - 1)}, std::move(x_)), targets());
  }
  std::size_t count() const { return count_; }

 private:
  [[noreturn]] void fail(std::string_view message) const { throw IoError("csv", cat(path_, ": line ", lines_.number(), ": ", message)); }
  // What is wrong with the line as a whole comes first.
  [[noreturn]] void fail_at(std::string_view line, std::string_view message) const {
    if (const std::size_t fields = count_fields(line); fields != columns_) fail(cat(fields, " fields; the first line has ", columns_));
    fail(message);
  }
  std::size_t count_fields(std::string_view line) const {
    std::size_t count = 0;
    for (CsvFields fields(line, separator_); fields.next(); ++count)
      if (fields.problem()) fail(fields.problem());
    return count;
  }

  void start(std::string_view line) {
    if (separator_ == 0) separator_ = find_separator(line);
    columns_ = count_fields(line);
    labelled_ = options_.labels.value_or(true);
    if (columns_ < 2) fail("one column; wanted at least one for x and one for y (is .separator right?)");
    const auto columns = static_cast<std::int64_t>(columns_);
    if (options_.target < -columns || options_.target >= columns)
      throw ArgumentError("csv", cat(path_, ": .target is ", options_.target, "; the file has ", columns, " columns"));
    target_ = static_cast<std::size_t>(options_.target < 0 ? options_.target + columns : options_.target);
  }
  void reserve(std::size_t rows) {
    x_.reserve(rows * (columns_ - 1));
    labels_.reserve(rows);
  }
  bool is_header(std::string_view line) const {
    if (options_.header) return *options_.header;
    for (CsvFields fields(line, separator_); fields.next();)
      if (!fields.value().empty() && !number_in(fields)) return true;
    return false;
  }
  void add_row(std::string_view line) {
    ++count_;
    std::size_t column = 0;
    for (CsvFields fields(line, separator_); fields.next(); ++column) {
      const std::string_view field = fields.value();
      const std::optional<double> value = column < columns_ && !fields.problem() ? number_in(fields) : std::nullopt;
      if (!value)
        fail_at(line, cat("column ", column + 1, field.empty() ? " is empty" : cat(" is ", shown(field, 32), ", which is no number")));
      if (std::isfinite(*value) && std::abs(*value) > std::numeric_limits<float>::max())
        fail_at(line, cat("column ", column + 1, " is ", shown(field, 32), ", which is too large for f32"));
      if (column == target_)
        add_target(line, field, *value);
      else if (keeps_)
        x_.push_back(static_cast<float>(*value));
    }
    if (column != columns_) fail_at(line, "");
  }
  void add_target(std::string_view line, std::string_view field, double value) {
    const bool whole = value >= 0 && value <= std::numeric_limits<std::int32_t>::max() && value == std::floor(value);
    if (!whole && options_.labels == true)
      fail_at(line, cat("column ", target_ + 1, " is ", shown(field, 32), "; a label is a whole number from 0 to 2147483647"));
    if (!keeps_) return;
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
    return {.dtype = type, .count = static_cast<std::int64_t>(count_), .shape = shape, .numbers = keep(std::move(values))};
  }

  const std::string& path_;
  const CsvOptions& options_;
  char separator_;
  bool keeps_;
  CsvLines lines_;
  std::size_t columns_ = 0, target_ = 0, count_ = 0;
  bool labelled_ = true;
  std::vector<float> x_, reals_;
  std::vector<std::int32_t> labels_;
};

}  // namespace

// Memory is taken for what a file is known to have. Of a plain file with short lines that is no more than twice its size; any other is
// read through before anything of it is kept.
Dataset csv(const std::string& path, const CsvOptions& options) {
  Reader reader(path, options, Reader::Does::keep);
  const CsvExtent extent = csv_extent("csv", path);  // far quicker than reading numbers, where a file unpacks to too much
  if (!reader.packed() && extent.longest <= wide)
    return reader.read([&](std::size_t columns) { return std::min(extent.lines, extent.bytes / (2 * columns) + 1); });
  Reader checker(path, options, Reader::Does::check);
  checker.read([](std::size_t) { return std::size_t{0}; });
  return reader.read([&](std::size_t) { return checker.count(); });
}

}  // namespace data
}  // namespace tidepool::inline v0
