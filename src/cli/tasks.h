// What `tidepool train` and `tidepool eval` know by name: a network, its data, and how it is trained.
#pragma once

#include <tidepool/tidepool.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidepool::cli {

struct Task {
  std::string name, about;
  std::function<nn::Sequential()> network;
  std::function<data::Dataset()> train, test;  // test: null where there is none
  Trainer::Loss loss;
  double lr;
  std::int64_t epochs, batch;
  bool shuffle;
  std::vector<std::string> classes;
  bool drawn = false;              // a function of one number, which can be
  double mean = 0, deviation = 1;  // of pixels
};

const std::vector<Task>& tasks();
const Task* find_task(const std::string& name);  // null: there is none

}  // namespace tidepool::cli
