// CSV as text: a file line by line, of which no more than one is in memory, and a line field by field.
//
//     CsvLines lines("csv", path);
//     for (std::string_view line; lines.next(line);)
//       for (CsvFields fields(line, ','); fields.next();) fields.value();
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"

namespace tidepool::inline v0 {
namespace data {

class CsvLines {
 public:
  CsvLines(const char* operation, const std::string& path);

  bool packed() const { return file_.packed(); }
  std::size_t number() const { return number_; }  // of the last line given, from 1
  bool next(std::string_view& line);              // without its end and a byte order mark; it lasts until the next call

 private:
  std::string_view given(std::size_t end, std::size_t next);
  bool read_more();

  FileReader file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read and not given
  std::size_t number_ = 0;
};

// What it takes to know how many numbers a plain file can have.
struct CsvExtent {
  std::size_t bytes = 0, lines = 0, longest = 0;  // the longest line
};
CsvExtent csv_extent(const char* operation, const std::string& path);

class CsvFields {
 public:
  CsvFields(std::string_view line, char separator) : rest_(line), separator_(separator) {}

  bool next();
  std::string_view value() const { return value_; }  // without blanks and quotes around it
  bool has_quote() const { return has_quote_; }      // within the value, of which only the beginning is given then
  const char* problem() const { return problem_; }   // with quotes; null: there is none

 private:
  void take_quoted();

  std::string_view rest_, value_;
  char separator_;
  bool more_ = true, has_quote_ = false;
  const char* problem_ = nullptr;
  std::string unescaped_;
};

std::string_view trimmed(std::string_view text);  // of blanks at both ends

}  // namespace data
}  // namespace tidepool::inline v0
