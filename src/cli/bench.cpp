// tidepool bench: times the operations on this machine.
#include <benchmark/benchmark.h>

#include <tidepool/device.h>
#include <tidepool/version.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>

#include "bench/bench.h"
#include "bench/tune.h"
#include "cli/cli.h"
#include "device/tuning_file.h"

namespace tidepool::cli {

namespace {

struct BenchOptions {
  std::string device, filter = ".*", tune;
  bool json = false;
};

int tune(const BenchOptions& options) {
  if (options.json) throw WrongUsage("--tune: it writes a file of its own form; leave out --json");
  use_device(options.device);
  const Device device = default_device();
  const BackendInfo info = device.slot().stream()->info();
  if (info.immediate)
    throw WrongUsage("--tune: " + device.id() +
                     " has one kernel for each product; choose a device that runs shaders, such as --device vulkan:0");
  const auto folder = std::filesystem::absolute(options.tune).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw WrongUsage("--tune: there is no folder " + folder.string() + " to write to; make it first");
  const Tuning tuning = bench::measure_tuning(device, [](const std::string& row) { std::cout << row << std::endl; });
  write_tuning(options.tune, info, tuning);
  std::cout << "written to " << options.tune << "; used by programs that run with TIDEPOOL_TUNING=" << options.tune << '\n';
  return done;
}

// What a reader sees is in one line per benchmark; the library's own heading goes to standard error.
void initialize() {
  char name[] = "tidepool", colour[] = "--benchmark_color=false";
  char* arguments[] = {name, colour, nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  benchmark::AddCustomContext("tidepool", version());
  benchmark::AddCustomContext("device", default_device().id());
}

int run(const BenchOptions& options) {
  if (!options.tune.empty()) return tune(options);
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
  constexpr std::size_t most = 1000;  // std::regex recurses, and ends the process where the stack ends
  if (text.size() > most)
    return "a regular expression of " + std::to_string(text.size()) + " bytes; wanted at most " + std::to_string(most);
  constexpr int most_digits = 9;  // std::regex does not see a number overflow
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > most_digits)
      return "a regular expression with a number of more than " + std::to_string(most_digits) + " digits; wanted a smaller one";
  }
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
  const auto options = std::make_shared<BenchOptions>();
  add_device_option(command, options->device);
  command.flag("--json", options->json, "One JSON document, in Google Benchmark's format");
  command.text("--filter", options->filter, "Only benchmarks with this regular expression in their name",
               {.type = "RE", .check = check_expression});
  command.text("--tune", options->tune, "Instead, measure which shaders for products suit the device, and write that to file F",
               {.type = "F"});
  command.runs([options] { return run(*options); });
}

}  // namespace tidepool::cli
