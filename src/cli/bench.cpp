// tidepool bench: times the operations on this machine.
#include <benchmark/benchmark.h>

#include <tidepool/device.h>
#include <tidepool/version.h>

#include <iostream>
#include <memory>
#include <regex>
#include <sstream>

#include "bench/bench.h"
#include "cli/cli.h"

namespace tidepool::cli {

namespace {

struct Options {
  std::string device, filter = ".*";
  bool json = false;
};

// What a reader sees is in one line per benchmark; the library's own heading goes to standard error.
void initialize() {
  char name[] = "tidepool", colour[] = "--benchmark_color=false";
  char* arguments[] = {name, colour, nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  benchmark::AddCustomContext("tidepool", version());
  benchmark::AddCustomContext("device", default_device().id());
}

int run(const Options& options) {
  use_device(options.device);
  bench::Suite suite(options.filter);
  bench::add_all(suite);
  if (suite.empty()) throw WrongUsage("--filter: no benchmark's name matches '" + options.filter + "'; leave it out to see them all");
  initialize();
  if (options.json) {
    std::ostringstream document;  // printed when it is complete, or not at all
    benchmark::JSONReporter reporter;
    reporter.SetOutputStream(&document);
    reporter.SetErrorStream(&std::cerr);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    std::cout << document.str();
  } else {
    benchmark::ConsoleReporter reporter(benchmark::ConsoleReporter::OO_Tabular);
    benchmark::RunSpecifiedBenchmarks(&reporter);
  }
  benchmark::Shutdown();
  return done;
}

std::string check_expression(const std::string& text) {
  try {
    const std::regex readable(text);
    return "";
  } catch (const std::regex_error&) {
    return "'" + text + "' is not a regular expression";
  }
}

}  // namespace

void add_bench(Parser& parser) {
  Command command = parser.command("bench", "Time the operations on a device");
  const auto options = std::make_shared<Options>();
  add_device_option(command, options->device);
  command.flag("--json", options->json, "One JSON document, in Google Benchmark's format");
  command.text("--filter", options->filter, "Only benchmarks with this regular expression in their name",
               {.type = "RE", .check = check_expression});
  command.runs([options] { return run(*options); });
}

}  // namespace tidepool::cli
