#include "stress/allocation_log.h"

#include <gtest/gtest.h>

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

PoolStats replay(const std::string& log) {
  WatchedPool host;
  std::vector<Storage> taken;
  std::istringstream words(log);
  for (std::string word; words >> word;) {
    if (word == ".") {
      host.submit();
      host.pool.step_done();
      continue;
    }
    const std::size_t number = std::stoull(word.substr(1));
    if (word[0] == '+') {
      taken.push_back(host.take(number));
      host.use(taken.back());
    } else {
      taken.at(number) = {};
    }
  }
  return host.pool.stats();
}

}  // namespace tidepool::stress
