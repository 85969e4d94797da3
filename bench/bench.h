// The benchmarks that `tidepool bench` runs, on the default device. Each file adds its own; `add_all` calls them.
//
//     void add_pool(Suite& suite) { suite.add("pool/take+return/10", [](State& state) { for (auto _ : state) … }); }
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <regex>
#include <string>

namespace tidepool::bench {

using benchmark::State;

// Those benchmarks whose name matches the filter.
class Suite {
 public:
  explicit Suite(const std::string& filter) : filter_(filter) {}
  void add(const std::string& name, std::function<void(State&)> function);
  bool empty() const { return empty_; }

 private:
  std::regex filter_;
  bool empty_ = true;
};

void add_operations(Suite& suite);
void add_pool(Suite& suite);
void add_plan(Suite& suite);
void add_train(Suite& suite);
void add_all(Suite& suite);

}  // namespace tidepool::bench
