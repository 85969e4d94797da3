#include "stress/allocation_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "support/pool_host.h"

namespace tidepool::stress {

void LogRecorder::add(const std::string& word) {
  if (column_ + word.size() > 120) {
    text_ += '\n';
    column_ = 0;
  }
  text_ += word + ' ';
  column_ += word.size() + 1;
}

void LogRecorder::on(const Event& event) noexcept {
  if (device_ != event.device) return;
  if (event.kind == Event::lend || event.kind == Event::reuse) {
    number_[event.block] = taken_++;
    add('+' + std::to_string(event.asked));
  } else if (event.kind == Event::give_back) {
    // What was lent before the recording began is not in the log.
    if (const auto found = number_.find(event.block); found != number_.end()) {
      add('-' + std::to_string(found->second));
      number_.erase(found);
    }
  } else if (event.kind == Event::flush) {
    add(".");
  }
}

namespace {

// Calls take(bytes), give(number of the take) and submit() in the log's order.
template <class Take, class Give, class Submit>
void read_log(const std::string& log, Take&& take, Give&& give, Submit&& submit) {
  std::istringstream words(log);
  for (std::string word; words >> word;) {
    if (word == ".")
      submit();
    else if (word[0] == '+')
      take(std::stoull(word.substr(1)));
    else
      give(std::stoull(word.substr(1)));
  }
}

}  // namespace

PoolStats replay(const std::string& log, std::size_t limit) {
  WatchedPool host({.memory = limit});
  std::vector<Storage> taken;
  read_log(
      log,
      [&](std::size_t bytes) {
        taken.push_back(host.take(bytes));
        host.use(taken.back());
      },
      [&](std::size_t number) { taken.at(number) = {}; },
      [&] {
        host.submit();
        host.pool.step_done();
      });
  return host.pool.stats();
}

std::size_t most_lent(const std::string& log, std::size_t alignment) {
  std::vector<std::size_t> taken;
  std::size_t now = 0, most = 0;
  read_log(
      log,
      [&](std::size_t bytes) {
        taken.push_back((std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
        most = std::max(most, now += taken.back());
      },
      [&](std::size_t number) { now -= taken.at(number); }, [] {});
  return most;
}

}  // namespace tidepool::stress
