// What a Compute does, over three files: the calls in computing.cpp, their chunks in chunks.cpp, lost devices in recovery.cpp.
#pragma once

#include <tidepool/compute.h>

#include "compute/item_errors.h"
#include "compute/lineage.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

class Compute::Inner {
 public:
  static constexpr std::int64_t most_at_once = 1000;  // items of a chunk, where nobody says how many
  explicit Inner(const ComputeOptions& options);

  Results run(const Items& items, const Function& function);
  std::vector<Tensor> upload(const Items& items);
  std::vector<Tensor> map(const std::vector<Tensor>& items, const Function& function);
  Results download(const std::vector<Tensor>& items);

  const std::vector<FailedItem>& failures() const { return errors_.all(); }
  std::int64_t recoveries() const { return recoveries_; }

 private:
  // Items [begin, end) on the device, and what the function made of them. Empty where one failed.
  struct Chunk {
    std::int64_t begin = 0, end = 0;
    std::size_t live_before = 0;  // bytes
    std::vector<Tensor> inputs, made;
    std::exception_ptr no_room;  // why it ended early

    bool empty() const { return begin == end; }
    const Tensor& input_of(std::int64_t item) const { return inputs[static_cast<std::size_t>(item - begin)]; }
    Tensor& made_of(std::int64_t item) { return made[static_cast<std::size_t>(item - begin)]; }
  };
  // How an item becomes a tensor on the device: by staging, or as it is.
  using Input = std::function<Tensor(std::int64_t item)>;

  void begin(const char* operation, std::size_t items);
  void fail(std::int64_t item, const std::exception_ptr& error = std::current_exception());
  void fail_alone(Chunk& chunk);
  void tell_progress(std::int64_t done);

  // Chunks.
  Chunk gather(std::int64_t first, const Input& input);
  void compute(Chunk& chunk, const Function& function);
  void no_room(Chunk& chunk);
  Tensor call(const Function& function, const Tensor& item) const;
  void submit(Chunk& chunk, const Function& function, std::uint64_t before);
  void one_by_one(Chunk& chunk, const Function& function);
  std::uint64_t wait_behind(std::uint64_t serial);
  void keep(Tensor& place, Tensor& made, const Tensor& item, const std::shared_ptr<const Function>& function);
  Tensor stage(std::span<const float> values, std::size_t side, std::size_t place);
  std::int64_t next_chunk_size();
  void measure(const Chunk& chunk);
  void deliver(Chunk& chunk, Results& results);

  // Losses.
  void over_losses(const std::function<void()>& work, const std::function<std::int64_t()>& position);
  bool is_gone();
  void recover(const std::string& why, std::int64_t position);
  void restore();

  ComputeOptions options_;
  Device device_;
  bool moved_ = false;  // from the device that was asked for
  Lineage lineage_;
  ItemErrors errors_;
  std::int64_t recoveries_ = 0;

  // Of one call.
  const char* operation_ = "";
  std::int64_t items_ = 0;
  std::int64_t chunk_ = 0;                      // items that are tried together now
  std::size_t item_bytes_ = 0;                  // that one holds, its input and its result; 0: not known yet
  std::uint32_t epoch_ = 0;                     // of the device, when the work began
  std::int64_t furthest_ = -1, fruitless_ = 0;  // the last place at which it was lost, and how often without getting further
  std::array<std::vector<Tensor>, 2> staged_;   // inputs of the chunk that is computed and of the one before it
};

}  // namespace tidepool::inline v0
