// Makes pipelines before they are asked for, in a thread of its own at low priority, so that a network's first step need not wait
// for them. It changes when a pipeline is made, and nothing else: whoever wants one that is not ready makes it himself. A process that
// ends waits for the pipeline that is being made: a driver must not be torn down while it compiles.
//
//     warming.start(list.known());
//     if (const auto made = warming.take(recipe)) …      // it is the caller's now
#pragma once

#include "backend/vulkan/ending.h"
#include "backend/vulkan/pipeline_maker.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tidepool::inline v0 {

class Warming final : AtTheEnd {
 public:
  explicit Warming(PipelineMaker& maker) : maker_(maker) {}
  ~Warming() { stop(); }

  void start(std::vector<std::string> recipes);  // once
  // What was made from the recipe, if it is ready; it will not be made any more.
  std::optional<Pipeline> take(const std::string& recipe);
  // Ends the thread, after the pipeline that it is making, and destroys what nobody took.
  void stop();
  std::size_t ready();  // made and not taken

 private:
  void end() noexcept override;
  void work();
  void finish();  // nothing is at work any more
  std::optional<std::string> next();
  void put(const std::string& recipe, const Pipeline& made);

  PipelineMaker& maker_;
  std::mutex mutex_;  // of all below but the thread
  std::deque<std::string> waiting_;
  std::string making_;  // empty: nothing, or nothing that is still wanted
  std::map<std::string, Pipeline> made_;
  std::vector<Pipeline> too_late_;  // made while somebody made his own
  bool at_work_ = false;            // the thread, which calls the driver no more once it is not
  std::condition_variable done_;
  std::thread thread_;
};

}  // namespace tidepool::inline v0
