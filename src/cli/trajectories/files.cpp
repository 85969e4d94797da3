#include "cli/trajectories/files.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "platform/cat.h"
#include "platform/replace_file.h"

namespace tidepool::cli {

namespace {

constexpr std::size_t columns = launch_rows + outcome_rows;
using Row = std::array<float, columns>;

Row row_of(const FlightBlock& block, std::int64_t i) {
  Row row;
  std::size_t at = 0;
  for (int r = 0; r < launch_rows; ++r) row[at++] = block.launch(static_cast<LaunchRow>(r), i);
  for (int r = 0; r < outcome_steps; ++r)
    row[at++] = block.landed(i) ? block.outcome(static_cast<OutcomeRow>(r), i) : std::numeric_limits<float>::quiet_NaN();
  row[at] = std::abs(block.outcome(outcome_steps, i));
  return row;
}

class NpyFile : public FlightFile {
 public:
  NpyFile(const std::string& path, std::int64_t count) : file_("trajectories", path) {
    static_assert(std::endian::native == std::endian::little, "the header says that the numbers are");
    std::string header = cat("{'descr': '<f4', 'fortran_order': False, 'shape': (", count, ", ", columns, "), }");
    constexpr std::size_t before = 10, alignment = 64;
    header.resize((before + header.size() + alignment) / alignment * alignment - before - 1, ' ');
    header += '\n';
    const std::string start{
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size() & 255U), static_cast<char>(header.size() >> 8U)};
    file_.write(std::as_bytes(std::span(start)));
    file_.write(std::as_bytes(std::span(header)));
  }
  void add(const FlightBlock& block) override {
    rows_.clear();
    for (std::int64_t i = 0; i < block.size; ++i) rows_.push_back(row_of(block, i));
    file_.write(std::as_bytes(std::span(rows_)));
  }
  void finish() override { file_.finish(); }

 private:
  FileReplacement file_;
  std::vector<Row> rows_;
};

class CsvFile : public FlightFile {
 public:
  explicit CsvFile(const std::string& path) : file_("trajectories", path) {
    for (const std::string& name : flight_columns()) text_ += (text_.empty() ? "" : ",") + name;
    text_ += '\n';
    file_.write(std::as_bytes(std::span(text_)));
  }
  void add(const FlightBlock& block) override {
    text_.clear();
    for (std::int64_t i = 0; i < block.size; ++i) {
      char separator = '\0';
      for (const float value : row_of(block, i)) {
        if (separator) text_ += separator;
        separator = ',';
        std::array<char, 32> digits;
        text_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);  // as few as tell it from every other float
      }
      text_ += '\n';
    }
    file_.write(std::as_bytes(std::span(text_)));
  }
  void finish() override { file_.finish(); }

 private:
  FileReplacement file_;
  std::string text_;
};

}  // namespace

const std::vector<std::string>& flight_columns() {
  static const std::vector<std::string> names{"speed", "elevation", "azimuth", "spin",          "tilt", "x",
                                              "y",     "time",      "apex",    "landing_speed", "steps"};
  return names;
}

bool FlightFile::knows(const std::string& path) { return path.ends_with(".csv") || path.ends_with(".npy"); }

std::unique_ptr<FlightFile> FlightFile::open(const std::string& path, std::int64_t count) {
  remove_abandoned(path);
  if (path.ends_with(".npy")) return std::make_unique<NpyFile>(path, count);
  return std::make_unique<CsvFile>(path);
}

}  // namespace tidepool::cli
