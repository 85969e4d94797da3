// Training with a fault at every place where one can happen: it ends with the same bits, or (with smaller parts of batches, or on
// another device) close to them, or with an error of the right type; and leaves nothing behind.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "train/fault_runs.h"

namespace tidepool::inline v0 {
namespace {

struct Kind {
  const char* fault;
  const char* point;
};
constexpr Kind kinds[] = {{"device_lost", "submit"},
                          {"device_lost", "wait"},
                          {"device_lost", "allocate"},
                          {"device_lost", "launch"},
                          {"device_lost", "upload"},
                          {"device_lost", "download"},
                          {"hang", "wait"},
                          {"slow", "submit"},
                          {"out_of_memory", "allocate"},
                          {"host_out_of_memory", "alloc"}};

class FaultSweep : public FaultRuns {
 protected:
  // Of the places of each kind at most so many, spread evenly.
  void sweep(std::int64_t most) {
    calm_run();  // loads libraries and compiles what is compiled once
    const auto wanted = calm_run();
    ASSERT_EQ(calm_run(), wanted);
    const std::map<std::string, std::int64_t> places = counted;
    for (const Kind& kind : kinds) {
      const std::int64_t count = places.at(kind.point);
      Endings endings;
      for (std::int64_t i = 0; i < std::min(count, most); ++i) {
        const std::int64_t at = count <= most ? i + 1 : 1 + i * (count - 1) / (most - 1);
        faulty_run(std::string(kind.fault) + "@" + kind.point + ":" + std::to_string(at), wanted, endings);
      }
      report(kind, count, endings);
    }
  }

 private:
  static void report(const Kind& kind, std::int64_t places, const Endings& e) {
    EXPECT_EQ(e.other_errors, 0) << kind.fault << "@" << kind.point;
    // What is lost before the first snapshot is complete is lost for good: so many tensors have these networks and optimizers.
    const std::string point = kind.point;
    EXPECT_LE(e.lost, point == "download" ? 20 : point == "submit" || point == "wait" ? 1 : 0) << kind.fault << "@" << kind.point;
    if (std::string(kind.fault) == "slow") {
      EXPECT_EQ(e.same_bits, e.runs) << "what is only slow changes nothing";
    }
    if (!std::getenv("TIDEPOOL_SWEEP_REPORT")) return;
    std::printf("| %s, %s | %s at %s | %lld | %lld | %lld | %lld | %lld | %lld |\n", run().name.c_str(), std::get<0>(GetParam()),
                kind.fault, kind.point, static_cast<long long>(places), static_cast<long long>(e.runs), static_cast<long long>(e.same_bits),
                static_cast<long long>(e.close), static_cast<long long>(e.lost), static_cast<long long>(e.no_memory));
    std::fflush(stdout);
  }
};

std::string name_of_run(const testing::TestParamInfo<FaultSweep::ParamType>& info) {
  std::string name = std::get<1>(info.param).name + "_" + std::get<0>(info.param);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
const FaultyRun runs_xor{"xor", train_xor}, runs_cnn{"cnn", train_cnn}, runs_batch_norm{"batch_norm", train_batch_norm, true};

TEST_P(FaultSweep, SlowEveryFaultEndsWell) { sweep(1'000'000); }
INSTANTIATE_TEST_SUITE_P(Runs, FaultSweep,
                         testing::Combine(testing::Values("cpu", "null", "vulkan:0"), testing::Values(runs_xor, runs_cnn, runs_batch_norm)),
                         name_of_run);

class FaultSample : public FaultSweep {};
TEST_P(FaultSample, EndsWell) { sweep(3); }
INSTANTIATE_TEST_SUITE_P(Runs, FaultSample,
                         testing::Combine(testing::Values("cpu", "null"), testing::Values(runs_xor, runs_cnn, runs_batch_norm)),
                         name_of_run);
INSTANTIATE_TEST_SUITE_P(Vulkan, FaultSample, testing::Combine(testing::Values("vulkan:0"), testing::Values(runs_xor, runs_cnn)),
                         name_of_run);

}  // namespace
}  // namespace tidepool::inline v0
