// tidepool bench.
#include <cstdlib>

#include "cli/tool.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class BenchCommand : public ToolTest {};

TEST_F(BenchCommand, RefusesToTuneWhatHasNothingToTuneAndWhereItCannotWrite) {
  const Outcome cpu = run("bench --device cpu --tune a.tuning");
  EXPECT_EQ(cpu.status, 2);
  EXPECT_HAS(cpu.err, "cpu has one kernel for each product");
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Outcome nowhere = run("bench --device vulkan:0 --tune no-such-folder/a.tuning");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_HAS(nowhere.err, "no-such-folder");
}

TEST_F(BenchCommand, SlowTuningOfVulkanWritesAFileThatIsUsed) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Outcome tuned = run("bench --device vulkan:0 --tune a.tuning");
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_EQ(contents(path("a.tuning")).find("tidepool tuning 1\ndevice "), 0U);
  EXPECT_HAS(contents(path("a.tuning")), "\nconv_weights many ");
  ::setenv("TIDEPOOL_TUNING", path("a.tuning").c_str(), 1);
  const Outcome used = run("train xor --device vulkan:0 --epochs 2");
  ::unsetenv("TIDEPOOL_TUNING");
  EXPECT_EQ(used.status, 0);
  EXPECT_EQ(used.err, "") << "a file that cannot be used is told";
}

}  // namespace
}  // namespace tidepool::inline v0
