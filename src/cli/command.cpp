#include "cli/command.h"

#include <tidepool/version.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>

namespace tidepool::cli {

namespace {

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
  take(*app_->add_option(name, into, help), taking);
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
  option->check(CLI::Validator(check, ""))->each([&into](const std::string& text) { into = std::stoll(text); })->type_name("[=N]");
}

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run)] {
    if (const int status = run(); status != done) throw CLI::RuntimeError(status);
  });
}

Parser::Parser() : app_(std::make_unique<CLI::App>("Tensors and training inside C++ programs, on any Vulkan GPU or the CPU.", "tidepool")) {
  app_->set_version_flag("--version", std::string("tidepool ") + version(), "Print the version and exit");
  app_->set_help_flag("-h,--help", "Print this help and exit");
  app_->require_subcommand(1);
}

Parser::~Parser() = default;

Command Parser::command(const std::string& name, const std::string& help) { return Command(*app_->add_subcommand(name, help)); }

int Parser::run(int argc, char** argv) {
  const auto wrong = [this](const std::string& what) {
    const auto chosen = app_->get_subcommands();
    std::cerr << "tidepool: " << what << "; see `tidepool " << (chosen.empty() ? "" : chosen[0]->get_name() + " ") << "--help`\n";
    return wrong_usage;
  };
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version
    app_->exit(help);
  } catch (const CLI::RuntimeError& status) {  // a command's own, with its message already out
    return status.get_exit_code();
  } catch (const CLI::ParseError& error) {
    const auto rest = app_->remaining();
    return wrong(app_->get_subcommands().empty() && !rest.empty() ? "there is no command '" + rest[0] + "'" : error.what());
  } catch (const WrongUsage& error) {
    return wrong(error.what());
  }
  return done;
}

}  // namespace tidepool::cli
