#include "device/random_state.h"

#include <iterator>
#include <mutex>

namespace tidepool::inline v0 {

namespace {
constinit std::mutex mutex;
constinit RandomSeed current{.seed = 0, .version = 1};
constexpr float table[] = {
#include "device/normal_table.inc"
};
static_assert(std::size(table) == std::size(RandomState{}.normal_table));
}  // namespace

std::span<const float> normal_table() { return table; }

void set_random_seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex);
  current = {.seed = seed, .version = current.version + 1};
}

void take_random_seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex);
  if (current.seed != seed) current = {.seed = seed, .version = current.version + 1};
}

RandomSeed random_seed() {
  const std::lock_guard lock(mutex);
  return current;
}

}  // namespace tidepool::inline v0
