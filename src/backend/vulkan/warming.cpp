#include "backend/vulkan/warming.h"

#include <tidepool/error.h>

#include <system_error>
#include <utility>

#include "backend/vulkan/kernel_list.h"
#include "platform/log.h"
#include "platform/low_priority.h"

namespace tidepool::inline v0 {

namespace {
constinit thread_local bool warms = false;  // this thread
}

// Threads are left to those who have started them.
void Warming::end() noexcept {
  if (warms) return;  // a driver that gives up
  std::unique_lock lock(mutex_);
  waiting_.clear();
  done_.wait(lock, [this] { return !at_work_; });
}

void Warming::start(std::vector<std::string> recipes) {
  if (recipes.empty() || thread_.joinable()) return;
  waiting_.assign(recipes.begin(), recipes.end());
  at_work_ = true;
  if (!enlist()) return finish();
  log_debug("vulkan: ", recipes.size(), " pipelines that earlier processes used are made in the background");
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // no thread to be had: then all are made when they are asked for
    finish();
    leave();
  }
}

void Warming::finish() {
  const std::scoped_lock lock(mutex_);
  waiting_.clear();
  at_work_ = false;
  done_.notify_all();
}

std::optional<Pipeline> Warming::take(const std::string& recipe) {
  if (!thread_.joinable()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  std::erase(waiting_, recipe);
  if (making_ == recipe) making_.clear();
  const auto found = made_.find(recipe);
  if (found == made_.end()) return std::nullopt;
  return made_.extract(found).mapped();
}

void Warming::stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    making_.clear();
  }
  thread_.join();
  leave();
  for (const auto& [recipe, pipeline] : std::exchange(made_, {})) maker_.destroy(pipeline);
  for (const Pipeline& pipeline : std::exchange(too_late_, {})) maker_.destroy(pipeline);
}

std::size_t Warming::ready() {
  const std::scoped_lock lock(mutex_);
  return made_.size();
}

void Warming::work() {
  warms = true;
  lower_priority();
  while (const auto recipe = next()) {
    const auto kernel = kernel_of(*recipe);
    Pipeline made;
    try {
      if (kernel && maker_.make(*kernel, made) == VK_SUCCESS) put(*recipe, made);
    } catch (const DeviceError&) {  // whoever asks for it hears of it
    }
  }
  finish();
}

std::optional<std::string> Warming::next() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  making_ = std::move(waiting_.front());
  waiting_.pop_front();
  return making_;
}

void Warming::put(const std::string& recipe, const Pipeline& made) {
  const std::scoped_lock lock(mutex_);
  if (making_ == recipe)
    made_[recipe] = made;
  else
    too_late_.push_back(made);
  making_.clear();
}

}  // namespace tidepool::inline v0
