#include "data/csv_text.h"

#include "platform/cat.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidepool::inline v0 {
namespace data {

namespace {
constexpr std::size_t chunk = std::size_t{64} << 10;
constexpr std::size_t most_shown = 64;  // of a value with a quote in it, which is no number in any case
}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

CsvLines::CsvLines(const char* operation, const std::string& path) : file_(operation, path), buffer_(chunk) {}

bool CsvLines::next(std::string_view& line) {
  for (std::size_t looked_at = begin_;;) {
    if (const void* found = std::memchr(buffer_.data() + looked_at, '\n', end_ - looked_at)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = given(end, end + 1);
      return true;
    }
    looked_at = end_ - begin_;  // where it will be
    if (read_more()) continue;
    if (begin_ == end_) return false;
    line = given(end_, end_);
    return true;
  }
}

std::string_view CsvLines::given(std::size_t end, std::size_t next) {
  std::string_view line(buffer_.data() + begin_, end - begin_);
  begin_ = next;
  if (number_++ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  return line;
}

// What is not given goes to the front. A line that fills all of the buffer gets a larger one, but none larger than the file can fill.
bool CsvLines::read_more() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    std::size_t most = file_.most_left();
    if (most == 0) return false;
    if (file_.packed()) {  // how long a line can be, the file does not say
      const std::size_t longest = std::max(chunk, file_.size());
      if (end_ >= longest)
        file_.fail(
            cat("line ", number_ + 1, ": longer than ", longest, " bytes in a packed file; if that is meant, unpack it with gunzip first"));
      most = std::min(most, longest - end_);
    }
    std::vector<char> larger(end_ + std::min(end_, most));
    std::ranges::copy(buffer_, larger.begin());
    buffer_.swap(larger);
  }
  const std::size_t got = file_.read(std::as_writable_bytes(std::span(buffer_).subspan(end_)));
  end_ += got;
  return got > 0;
}

CsvExtent csv_extent(const char* operation, const std::string& path) {
  FileReader file(operation, path);
  std::array<char, chunk / 2> piece;
  CsvExtent extent{.bytes = 0, .lines = 1, .longest = 0};
  std::size_t line = 0;
  while (const std::size_t got = file.read(std::as_writable_bytes(std::span(piece)))) {
    extent.bytes += got;
    for (std::string_view rest(piece.data(), got);;) {
      const std::size_t end = rest.find('\n');
      line += std::min(end, rest.size());
      extent.longest = std::max(extent.longest, line);
      if (end == rest.npos) break;
      ++extent.lines;
      line = 0;
      rest.remove_prefix(end + 1);
    }
  }
  return extent;
}

bool CsvFields::next() {
  if (!more_) return false;
  has_quote_ = false;
  std::string_view start = rest_;
  while (start.starts_with(' ')) start.remove_prefix(1);
  if (start.starts_with('"')) {
    rest_ = start;
    take_quoted();
    if (!problem_ && !rest_.empty() && rest_.front() != separator_) problem_ = "something follows a closing quote";
  } else {
    const std::size_t end = std::min(rest_.find(separator_), rest_.size());
    value_ = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
  }
  more_ = !problem_ && !rest_.empty();
  if (more_) rest_.remove_prefix(1);
  return true;
}

void CsvFields::take_quoted() {
  unescaped_.clear();
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      if (!rest_.substr(i + 1).starts_with('"')) {
        value_ = trimmed(has_quote_ ? std::string_view(unescaped_) : rest_.substr(1, i - 1));
        rest_.remove_prefix(i + 1);
        while (rest_.starts_with(' ') || rest_.starts_with('\r')) rest_.remove_prefix(1);
        return;
      }
      if (!has_quote_) unescaped_ = rest_.substr(1, std::min(i - 1, most_shown));
      has_quote_ = true;
      ++i;
    }
    if (has_quote_ && unescaped_.size() < most_shown) unescaped_ += rest_[i];
  }
  value_ = {};
  problem_ = "a quote is not closed on its line";
}

}  // namespace data
}  // namespace tidepool::inline v0
