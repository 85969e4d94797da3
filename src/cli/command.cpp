#include "cli/command.h"

#include <tidepool/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iostream>
#include <vector>

#include "platform/one_line.h"

namespace tidepool::cli {

namespace {

const char* const optional_value = "[=N]";  // of a flag: CLI11 has no word for it

// What is an integer at all: CLI11 says less of it.
std::string no_integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? "" : "'" + text + "' is no whole number";
}

std::string no_real(const std::string& text) { return parse_real(text) ? "" : "'" + text + "' is no number"; }

void take(CLI::Option& option, const Taking& taking) {
  if (!taking.type.empty()) option.type_name(taking.type);
  if (taking.check) option.check(CLI::Validator(taking.check, ""));
  option.required(taking.required);
}

// CLI11 shows what a flag means alone as {0}, which helps nobody.
class Help : public CLI::Formatter {
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, is_positional);
    return name.substr(0, name.find('{'));
  }
};

// How many letters to add, drop or change to come from one word to the other.
std::size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

// " (did you mean --epochs?)", when one of the names is close.
std::string meant(const std::string& word, const std::vector<std::string>& names) {
  const auto closest = std::ranges::min_element(names, {}, [&](const std::string& name) { return letters_apart(word, name); });
  return closest != names.end() && letters_apart(word, *closest) <= 2 ? " (did you mean " + *closest + "?)" : "";
}

std::string no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return "";
  return "there is no command '" + word + "'" + meant(word, names);
}

// What is wrong with arguments that nobody takes.
std::string not_taken(const CLI::App& command, const std::vector<std::string>& arguments) {
  const std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return "";
  const auto first = std::ranges::find_if(arguments, [&](const std::string& a) { return std::ranges::find(rest, a) != rest.end(); });
  const std::string& word = first != arguments.end() ? *first : rest.front();
  if (word.starts_with("-")) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return "there is no option '" + word + "'" + meant(word, names);
  }
  const CLI::Option* before = first != arguments.end() && first != arguments.begin() ? command.get_option_no_throw(*(first - 1)) : nullptr;
  if (before && before->get_type_name() == optional_value) return "'" + word + "' was not expected; wanted " + *(first - 1) + "=" + word;
  return "'" + word + "' was not expected";
}

// "a task is wanted: xor, sine or fashion-mnist", of the first that is.
std::string wanted(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    std::string what = option->get_description();
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
    return (option->get_positional() ? "a " : "") + option->get_name() + " is wanted: " + what;
  }
  return "";
}

// What an error of the parser's own comes down to; nothing where it says enough itself.
std::string in_our_words(const CLI::ParseError& error, const CLI::App& command, const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return not_taken(command, arguments);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return wanted(command);
  if (!dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return "";
  const std::string what = error.what(), name = what.substr(0, what.find(':'));  // "--epochs: 1 required N missing"
  const CLI::Option* option = command.get_option_no_throw(name);
  const std::size_t given = option ? option->results().size() : 0;
  return name + (given > 1 ? ": wanted one value, got " + std::to_string(given) : ": wanted a value");
}

}  // namespace

Check at_least(std::int64_t least) {
  return [least](const std::string& text) {
    if (std::string wrong = no_integer(text); !wrong.empty()) return wrong;
    return std::stoll(text) >= least ? std::string() : text + " is too small; wanted " + std::to_string(least) + " or more";
  };
}

std::optional<double> parse_real(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void Command::text(const std::string& name, std::string& into, const std::string& help, const Taking& taking) {
  // CLI11 takes whatever follows: `--save --json` would write a file of that name.
  const auto no_value = [app = app_](const std::string& text) -> std::string {
    if (text.empty()) return "wanted a value, got an empty one";
    return text.starts_with("-") && app->get_option_no_throw(text) ? "wanted a value, got the option '" + text + "'" : "";
  };
  take(*app_->add_option(name, into, help)->check(CLI::Validator(no_value, "")), taking);
}

void Command::number(const std::string& name, std::int64_t& into, const std::string& help, const Taking& taking) {
  take(*app_->add_option(name, into, help)->check(CLI::Validator(no_integer, "")), taking);
}

void Command::real(const std::string& name, double& into, const std::string& help, const Taking& taking) {
  take(*app_->add_option(name, into, help)->check(CLI::Validator(no_real, "")), taking);
}

void Command::flag(const std::string& name, bool& into, const std::string& help) { app_->add_flag(name, into, help); }

void Command::flag_or_number(const std::string& name, std::int64_t& into, std::int64_t without, const std::string& help,
                             const Check& check) {
  // Its text, for a flag bound to a number takes 0 for "no".
  CLI::Option* option = app_->add_flag(name + "{" + std::to_string(without) + "}", help);
  option->check(CLI::Validator(check, ""))->each([&into](const std::string& text) { into = std::stoll(text); })->type_name(optional_value);
}

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run), runs = runs_] {  // which holds the options, run or not
    if (!runs) return;
    if (const int status = run(); status != done) throw CLI::RuntimeError(status);
  });
}

Parser::Parser(Does does)
    : app_(std::make_unique<CLI::App>("Tensors and training inside C++ programs, on any Vulkan GPU or the CPU.", "tidepool")), does_(does) {
  app_->set_version_flag("--version", std::string("tidepool ") + version(), "Print the version and exit");
  app_->set_help_flag("-h,--help", "Print this help and exit");
  app_->require_subcommand(1);
  app_->formatter(std::make_shared<Help>());
}

Parser::~Parser() = default;

Command Parser::command(const std::string& name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help), does_ == Does::run);
}

int Parser::run(int argc, char** argv) {
  const auto wrong = [this](const std::string& what) {
    const auto chosen = app_->get_subcommands();
    constexpr std::size_t most = 500;  // what was written may be of any length
    std::cerr << "tidepool: " << one_line(what, most) << "; see `tidepool " << (chosen.empty() ? "" : chosen[0]->get_name() + " ")
              << "--help`\n";
    return wrong_usage;
  };
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return wrong("a command is wanted, such as devices, doctor or train");
  if (!arguments[0].starts_with("-"))
    if (const std::string none = no_command(*app_, arguments[0]); !none.empty()) return wrong(none);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version
    app_->exit(help);
  } catch (const CLI::RuntimeError& status) {  // a command's own, with its message already out
    return status.get_exit_code();
  } catch (const CLI::ParseError& error) {
    const auto chosen = app_->get_subcommands();
    const std::string what = chosen.empty() ? not_taken(*app_, arguments) : in_our_words(error, *chosen[0], arguments);
    return wrong(what.empty() ? error.what() : what);
  } catch (const WrongUsage& error) {
    return wrong(error.what());
  }
  return done;
}

}  // namespace tidepool::cli
