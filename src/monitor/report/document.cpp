#include "monitor/report/document.h"

#include <algorithm>

#include "monitor/report/text.h"

namespace tidepool::inline v0::monitor {

Words code(std::string_view name) { return {.text = clean(name), .look = Words::code}; }

bool Line::empty() const {
  return std::all_of(words.begin(), words.end(), [](const Words& w) { return w.text.empty(); });
}

Line foreign(std::string_view message) {
  const std::string text = clean(message);
  Line line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at), close = open == std::string::npos ? open : text.find('`', open + 1);
    if (close == std::string::npos || close == open + 1) {  // no pair, or an empty one: as it is
      line.words.push_back({.text = text.substr(at)});
      break;
    }
    if (open > at) line.words.push_back({.text = text.substr(at, open - at)});
    line.words.push_back({.text = text.substr(open + 1, close - open - 1), .look = Words::code});
    at = close + 1;
  }
  return line;
}

Line headed(const std::string& heading, std::string_view message) {
  Line line = foreign(message);
  if (line.empty()) return line;
  std::string &first = line.words.front().text, &last = line.words.back().text;
  if (line.words.front().look == Words::plain && first.front() >= 'a' && first.front() <= 'z')
    first.front() = static_cast<char>(first.front() - 'a' + 'A');
  if (line.words.back().look == Words::code || std::string_view(".!?:").find(last.back()) == std::string_view::npos)
    line.words.push_back({.text = "."});
  line.words.insert(line.words.begin(), {{.text = heading + '.', .look = Words::strong}, {.text = " "}});
  return line;
}

}  // namespace tidepool::inline v0::monitor
