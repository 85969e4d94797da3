// Watching, as the public face has it.
#include <tidepool/tidepool.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "support/files.h"

namespace tp = tidepool;

namespace {

TEST(PublicFace, OfWatchingCompilesAndRunsAsWritten) {
  const tp::TemporaryFolder folder;
  tp::monitor::enable();
  const tp::Tensor a = tp::ones({64, 64});
  double ms = tp::monitor::track("epoch", [&] { tp::matmul(a, a); });
  EXPECT_GT(ms, 0);
  tp::monitor::record("my figure", 3.5);
  tp::monitor::Snapshot s = tp::monitor::snapshot();
  EXPECT_GT(s.memory.live_bytes, 0U);
  EXPECT_GE(s.compute_ms + s.transfer_ms, 0.0);
  EXPECT_GE(s.transfer_bytes, 0U);
  EXPECT_EQ(s.utilisation.has_value(), !s.utilisation_source.empty());
  EXPECT_FALSE(s.kernels.empty());
  tp::monitor::Snapshot mean = tp::monitor::log().averages();
  EXPECT_LE(mean.memory.live_bytes, s.memory.live_bytes + a.nbytes());
  EXPECT_GT(tp::monitor::log().percentile("epoch", 0.99), 0);
  EXPECT_LE(tp::monitor::log().size(), 1000U);
  EXPECT_GE(tp::monitor::log().size(), 1U);
  tp::monitor::anomalies();
  tp::monitor::forecast();
  tp::monitor::advice();
  tp::monitor::write_trace(folder.path("trace.json"));
  tp::monitor::write_report(folder.path("report.html"));
  tp::monitor::write_report(folder.path("report.md"));
  tp::monitor::write_run(folder.path("run.jsonl"));
  tp::monitor::write_csv(folder.path("samples.csv"));
  for (const char* name : {"trace.json", "report.html", "report.md", "run.jsonl", "samples.csv"})
    EXPECT_GT(std::filesystem::file_size(folder.path(name)), 100U) << name;
  EXPECT_NE(tp::monitor::prometheus_text().find("tidepool_"), std::string::npos);
  EXPECT_THROW(tp::monitor::write_report(folder.path("report.pdf")), tp::ArgumentError);
  EXPECT_THROW(tp::monitor::write_trace(folder.path("no/such/folder/trace.json")), tp::IoError);
  tp::monitor::disable();
}

}  // namespace
