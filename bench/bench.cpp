#include "bench/bench.h"

namespace tidepool::bench {

void Suite::add(const std::string& name, std::function<void(State&)> function) {
  if (!std::regex_search(name, filter_)) return;
  empty_ = false;
  benchmark::RegisterBenchmark(name.c_str(), std::move(function))->UseRealTime();
}

void add_all(Suite& suite) {
  add_operations(suite);
  add_plan(suite);
  add_pool(suite);
  add_train(suite);
}

}  // namespace tidepool::bench
