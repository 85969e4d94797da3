// A compute pipeline for every kernel that is in use, found by the kernel's id; made on first use. There are no more than so many:
// the least recently used goes first, and is made again when it is wanted again. One that a command list holds never goes.
#pragma once

#include "backend/vulkan/kernel_list.h"
#include "backend/vulkan/pipeline_file.h"
#include "backend/vulkan/pipeline_maker.h"
#include "backend/vulkan/warming.h"

#include <cassert>
#include <chrono>
#include <cstdint>
#include <vector>

namespace tidepool::inline v0 {

class Pipelines {
 public:
  static constexpr std::size_t usual_most = 1024;
  explicit Pipelines(VulkanDevice& device, std::size_t most = usual_most);
  ~Pipelines();
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  void load(const KernelDef& kernel) { (*this)[kernel]; }
  // To be held before the next one is asked for, which may take its place.
  const Pipeline& operator[](const KernelDef& kernel) {
    assert(kernel.id != 0 && "loaded before it was registered");
    if (kernel.id < entries_.size() && entries_[kernel.id].pipeline.handle) [[likely]]
      return entries_[kernel.id].pipeline;
    return make(kernel);
  }
  void hold(const KernelDef& kernel) {
    Entry& entry = entries_[kernel.id];
    ++entry.holders;
    entry.used = ++clock_;
  }
  void let_go(std::uint32_t kernel_id);
  void forget(const KernelDef& kernel);  // which nobody holds: its id may become another's

  // Makes what earlier processes used, in the background; the first time it is called.
  void warm();
  // Writes what is new to the disk, at most once a second. For moments when somebody waits anyway.
  void keep_if_due();
  std::size_t live() const { return live_; }
  std::size_t ready() { return warming_.ready(); }  // made in the background, and not asked for yet

 private:
  struct Entry {
    Pipeline pipeline;
    std::uint32_t holders = 0;
    std::uint64_t used = 0;  // when it was last held or let go
  };
  const Pipeline& make(const KernelDef& kernel);
  bool make_room();
  void drop(Entry& entry);
  void keep();

  VulkanDevice& device_;
  PipelineFile file_;
  PipelineMaker maker_;
  KernelList list_;
  Warming warming_;
  bool warmed_ = false;
  const std::size_t most_;
  std::vector<Entry> entries_;  // by kernel id
  std::size_t live_ = 0;
  std::uint64_t clock_ = 0;
  bool fresh_ = false;  // there are pipelines that the file has not
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
};

}  // namespace tidepool::inline v0
