// Command lines: an argument on each line, or between zero bytes where there is one. They are checked as they always are, and nothing
// is run.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "cli/cli.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

// What is printed goes here while it lives.
class Printed {
 public:
  explicit Printed(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Printed() { stream_.rdbuf(before_); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

void take(std::string_view bytes) {
  const char between = bytes.find('\0') == bytes.npos ? '\n' : '\0';
  std::vector<std::string> words{"tidepool"};
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find(between, at), bytes.size());
    words.emplace_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const Printed out(std::cout), errors(std::cerr);
  cli::Parser parser(cli::Parser::Does::check);
  cli::add_commands(parser);
  const int status = parser.run(static_cast<int>(words.size()), arguments.data());
  const std::string said = errors.text();
  require(status == cli::done || status == cli::wrong_usage, "a status that parsing does not have");
  require((status == cli::done) == said.empty(), "an error without a word, or words without an error");
  if (said.empty()) return;
  require(said.ends_with('\n'), "a message that does not end its line");
  require_readable(std::string_view(said).substr(0, said.size() - 1));
}

const Target target("arguments", take, 1000);

}  // namespace
}  // namespace tidepool::fuzz
