// Tidepool's side of bench/compare: is told over a pipe what to do, answers each line with one of JSON.
//
//     prepare mlp      {"seconds": 0.004}      until its first result
//     run 100 10       {"seconds": 0.12}       a hundred times, after ten that are not timed
//     epoch            {"seconds": 20.1, "accuracy": 0.88}
//
// `tidepool_compare_worker first` prints a first result and waits for the end of its input.
#include "works.h"

#include <tidepool/tidepool.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

void answer(const std::string& line, compare::Run& run) {
  std::istringstream words(line);
  std::string command;
  words >> command >> std::ws;
  const Clock::time_point start = Clock::now();
  if (command == "prepare") {
    std::string work;
    std::getline(words, work);
    run = compare::prepare(work);
    std::printf("{\"seconds\": %.9f}\n", seconds_since(start));
  } else if (command == "run" && run) {
    long repetitions = 1, warming = 0;
    words >> repetitions >> warming;
    if (warming > 0) run(warming);
    const Clock::time_point warm = Clock::now();
    run(repetitions);
    std::printf("{\"seconds\": %.9f}\n", seconds_since(warm));
  } else if (command == "epoch") {
    const compare::Epoch epoch = compare::fashion_epoch();
    std::printf("{\"seconds\": %.9f, \"accuracy\": %.4f}\n", seconds_since(start), epoch.accuracy);
  } else {
    throw std::invalid_argument("not understood: " + line);
  }
}

int first_result() {
  namespace tp = tidepool;
  const tp::Tensor product = tp::matmul(tp::ones({2, 2}), tp::ones({2, 2}));
  std::printf("%g\n", static_cast<double>(product.slice(0, 1).to_host<float>()[0]));
  std::fflush(stdout);
  return std::getchar() == EOF ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "first") return first_result();
  compare::Run run;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      answer(line, run);
    } catch (const std::exception& error) {
      std::printf("{\"failed\": %s}\n", quoted(error.what()).c_str());
    }
    std::fflush(stdout);
  }
}
