#include "cli/watch/stream.h"

#include <tidepool/error.h>

#include <iterator>
#include <utility>

namespace tidepool::cli {

namespace {

constexpr std::size_t most_of_event = std::size_t{64} << 20;  // bytes; a record has about one million
constexpr std::size_t most_kept = 1000;                       // of a list, as the record has it

template <class T>
void append(std::vector<T>& kept, std::vector<T>& news) {
  kept.insert(kept.end(), std::make_move_iterator(news.begin()), std::make_move_iterator(news.end()));
  if (kept.size() > most_kept) kept.erase(kept.begin(), kept.end() - most_kept);
}

}  // namespace

void EventStream::feed(std::string_view piece) {
  for (const char c : piece) {
    const bool second = std::exchange(after_return_, c == '\r') && c == '\n';
    if (second) continue;
    if (c != '\n' && c != '\r') {
      line_ += c;
      if (line_.size() + data_.size() > most_of_event) throw IoError("watch", "the server sends an event without end");
      continue;
    }
    take_line(line_);
    line_.clear();
  }
}

void EventStream::take_line(std::string_view line) {
  if (line.empty()) {
    if (!data_.empty()) take_(event_, data_);
    event_.clear();
    data_.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") event_ = value;
  if (name != "data") return;  // comments have no name; other fields are not ours
  if (!data_.empty()) data_ += '\n';
  data_ += value;
}

void follow(monitor::RunRecord& run, const std::string& event, monitor::RunRecord message) {
  if (event == "update") {
    append(run.samples, message.samples);
    append(run.epochs, message.epochs);
    append(run.anomalies, message.anomalies);
    append(run.events, message.events);
    message.samples = std::move(run.samples);
    message.epochs = std::move(run.epochs);
    message.anomalies = std::move(run.anomalies);
    message.events = std::move(run.events);
    if (!message.pool) message.pool = std::move(run.pool);
  }
  run = std::move(message);
}

}  // namespace tidepool::cli
