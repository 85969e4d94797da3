// One command of the tool and what it takes. The parser behind it is CLI11, which only command.cpp sees: it takes seconds to compile.
//
//   Command train = parser.command("train", "Train a small network");
//   train.number("--epochs", options->epochs, "How often to go over the samples", {.type = "N", .check = at_least(1)});
//   train.runs([options] { return done; });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls itself so
class App;
}

namespace tidepool::cli {

// Exit statuses.
enum { done = 0, failed = 1, wrong_usage = 2, interrupted = 130 };

// What a user has asked for cannot be meant; the message says what can.
struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Says what is wrong with a value as it was written, or nothing.
using Check = std::function<std::string(const std::string&)>;
Check at_least(std::int64_t least);
// A finite number, as it is written in C.
std::optional<double> parse_real(const std::string& text);

struct Taking {
  std::string type = "";  // as help shows it
  Check check = {};
  bool required = false;
};

class Command {
 public:
  Command(CLI::App& app, bool runs) : app_(&app), runs_(runs) {}
  // A name without dashes is a place: `tidepool train xor`. What is written goes where `into` lies, which must outlive the parsing.
  void text(const std::string& name, std::string& into, const std::string& help, const Taking& taking = {});
  void number(const std::string& name, std::int64_t& into, const std::string& help, const Taking& taking = {});
  void real(const std::string& name, double& into, const std::string& help, const Taking& taking = {});  // finite
  void flag(const std::string& name, bool& into, const std::string& help);
  // --name, or --name=N; `without` is what it means alone.
  void flag_or_number(const std::string& name, std::int64_t& into, std::int64_t without, const std::string& help, const Check& check);
  void runs(std::function<int()> run);

 private:
  CLI::App* app_;
  bool runs_;
};

class Parser {
 public:
  enum class Does : unsigned char { run, check };  // check: arguments only; nothing is done
  explicit Parser(Does does = Does::run);
  ~Parser();
  Command command(const std::string& name, const std::string& help);
  // Runs the command that the arguments name; its exit status.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Does does_;
};

}  // namespace tidepool::cli
