// Random programs do on every device what a plain reference says.
//
// TIDEPOOL_PROGRAMS=5000 makes other numbers of them, TIDEPOOL_SEED=17 starts at another; a failure tells its seed, so that
// TIDEPOOL_SEED=<that> TIDEPOOL_PROGRAMS=1 repeats it.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <cstdlib>
#include <string>

#include "stress/generate.h"
#include "stress/runner.h"
#include "stress/shrink.h"
#include "support/devices.h"

namespace tidepool::stress {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class RandomPrograms : public LibraryTest {
 protected:
  // Whether the program is right there; tells what is wrong, in a few lines that can be pasted.
  static bool is_right(const Program& program, const Devices& devices, std::uint64_t seed) {
    if (what_is_wrong(program, devices).empty()) return true;
    configure({.wait_limit = 3});  // what hangs is to be tried often
    const Program small = shrunk(program, [&](const Program& p) { return !what_is_wrong(p, devices).empty(); });
    ADD_FAILURE() << "seed " << seed << " on " << devices.first << (devices.second.empty() ? "" : " and " + devices.second) << ": "
                  << what_is_wrong(small, devices) << "\n  const Device first = device(\"" << devices.first << "\"), second = device(\""
                  << (devices.second.empty() ? devices.first : devices.second) << "\");\n"
                  << small.as_cpp();
    return false;
  }

  // Nothing of the programs before is left when all is cleaned up.
  static void expect_nothing_left(std::uint64_t seed) {
    cleanup();
    for (const char* id : {"cpu", "null"}) {
      const MemoryStats stats = memory(device(id));
      EXPECT_EQ(stats.live_bytes, 0U) << id << ", after seed " << seed;
      EXPECT_EQ(stats.reserved_bytes, 0U) << id << ", after seed " << seed;
    }
  }

  // Every program on the CPU, every `null_every`-th on null, and every `vulkan_every`-th, with moves between devices, on Vulkan.
  static void run(std::uint64_t first, std::uint64_t count, std::uint64_t null_every, std::uint64_t vulkan_every) {
    first = from_environment("TIDEPOOL_SEED", first);
    count = from_environment("TIDEPOOL_PROGRAMS", count);
    const bool vulkan = is_there("vulkan:0");
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + count && failures < 5; ++seed) {
      const bool two = seed % vulkan_every == 0;
      const Program program = random_program(seed, {.two_devices = two});
      if (two && vulkan) {
        failures += !is_right(program, {"vulkan:0", "cpu"}, seed);
        failures += !is_right(program, {"cpu", "vulkan:0"}, seed);
      } else if (two) {
        failures += !is_right(program, {"null", "cpu"}, seed);
      } else {
        failures += !is_right(program, {"cpu", ""}, seed);
        if (seed % null_every == 0) failures += !is_right(program, {"null", "cpu"}, seed);
      }
      if (seed % 500 == 0) expect_nothing_left(seed);  // Vulkan is closed by it, and then makes its pipelines anew
    }
    expect_nothing_left(first + count);
  }
};

TEST_F(RandomPrograms, DoWhatTheReferenceSays) { run(1, 300, 5, 10); }

// In parts, so that several processes can share them: a hundred thousand in all.
class SlowRandomPrograms : public RandomPrograms, public testing::WithParamInterface<int> {};
TEST_P(SlowRandomPrograms, DoWhatTheReferenceSays) {
  constexpr std::uint64_t each = 12'500;
  run(1'000 + static_cast<std::uint64_t>(GetParam()) * each, each, 5, 10);
}
INSTANTIATE_TEST_SUITE_P(Part, SlowRandomPrograms, testing::Range(0, 8));

}  // namespace
}  // namespace tidepool::stress
