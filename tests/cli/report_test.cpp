// tidepool report.
#include <algorithm>
#include <fstream>

#include "cli/tool.h"
#include "monitor/report_run.h"
#include "monitor/run_file.h"

namespace tidepool::inline v0 {
namespace {

class ReportCommand : public ToolTest {
 protected:
  void write_run(const std::string& name, const monitor::MadeRun& made) const {
    std::ofstream(path(name)) << monitor::run_lines(monitor::made_run(made));
  }
};

bool is_one_line(const std::string& text) { return std::count(text.begin(), text.end(), '\n') == 1 && text.ends_with('\n'); }

TEST_F(ReportCommand, PrintsMarkdownUnlessToldOtherwise) {
  write_run("run.jsonl", {});
  const Outcome o = run("report run.jsonl");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(o.out.starts_with("# Report on fashion-mnist\n")) << o.out;
  EXPECT_NE(o.out.find("- Memory: 200 MiB at most, of a limit of 1 GiB.\n"), std::string::npos);
  EXPECT_TRUE(run("report run.jsonl --format html").out.starts_with("<!DOCTYPE html>\n"));
}

TEST_F(ReportCommand, WritesAFileInTheFormatOfItsName) {
  write_run("run.jsonl", {});
  for (const auto& [options, begin] :
       {std::pair{"--out report.html", "<!DOCTYPE html>"}, {"--out report.md", "# Report"}, {"--out report.txt --format md", "# Report"}}) {
    const Outcome o = run(std::string("report run.jsonl ") + options);
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out, "");
    const std::string words = options, name = words.substr(6, words.find(' ', 6) - 6);
    EXPECT_TRUE(contents(path(name)).starts_with(begin)) << name;
  }
}

TEST_F(ReportCommand, FailsOnARegressionWhenAsked) {
  write_run("earlier.jsonl", {});
  write_run("same.jsonl", {.seed = 2});
  write_run("slower.jsonl", {.seed = 3, .step_ms = 14});
  EXPECT_EQ(run("report slower.jsonl --against earlier.jsonl").status, 0);
  const Outcome same = run("report same.jsonl --against earlier.jsonl --fail-on-regression");
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_NE(same.out.find("No regression against the earlier run."), std::string::npos);
  const Outcome slower = run("report slower.jsonl --against earlier.jsonl --fail-on-regression");
  EXPECT_EQ(slower.status, 1);
  EXPECT_NE(slower.out.find("- step time (median): "), std::string::npos) << slower.out;
  EXPECT_EQ(slower.err, "tidepool: 4 regressions against earlier.jsonl\n");
}

TEST_F(ReportCommand, SaysInOneLineWhatIsWrongWithAFile) {
  std::ofstream(path("notes.txt")) << "no run at all\n";
  write_run("run.jsonl", {});
  for (const char* arguments : {"report nowhere.jsonl", "report run.jsonl --against nowhere.jsonl", "report notes.txt", "report .",
                                "report run.jsonl --out nowhere/report.md"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 1) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_TRUE(is_one_line(o.err)) << o.err;
    EXPECT_TRUE(o.err.starts_with("tidepool: ")) << o.err;
  }
  EXPECT_EQ(run("report nowhere.jsonl").err,
            "tidepool: report: there is no file nowhere.jsonl; wanted a file of `tidepool train --record F` or tp::monitor::write_run\n");
}

TEST_F(ReportCommand, WhatCannotBeMeantIsWrongUsage) {
  write_run("run.jsonl", {});
  for (const char* arguments : {"report", "report run.jsonl --format pdf", "report run.jsonl --out report.pdf",
                                "report run.jsonl --fail-on-regression", "report run.jsonl extra.jsonl"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << arguments;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_TRUE(is_one_line(o.err)) << o.err;
    EXPECT_NE(o.err.find("see `tidepool report --help`"), std::string::npos) << o.err;
  }
  EXPECT_NE(run("report run.jsonl --out report.pdf").err.find("end it in .md or .html, or give --format"), std::string::npos);
}

}  // namespace
}  // namespace tidepool::inline v0
