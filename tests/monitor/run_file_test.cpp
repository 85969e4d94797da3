// A run as a file, and the samples as CSV.
#include "monitor/run_file.h"

#include <gtest/gtest.h>

#include <locale>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/csv.h"
#include "monitor/full_record.h"
#include "monitor/prometheus.h"
#include "monitor/trace.h"
#include "support/files.h"

namespace tidepool::inline v0::monitor {
namespace {

std::vector<std::string> lines_of(const std::string& text, char separator = '\n') {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line, separator);) lines.push_back(line);
  return lines;
}

class RunFile : public FilesTest {
 protected:
  RunRecord read(const std::string& text) const { return read_run(write("run.jsonl", text)); }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const IoError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(path("run.jsonl")), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
    return "accepted";
  }
};

TEST_F(RunFile, WhatIsWrittenComesBack) {
  const std::string text = run_lines(full_record());
  EXPECT_EQ(to_json(read(text)), to_json(full_record()));
  EXPECT_EQ(to_json(read(run_lines(RunRecord{}))), to_json(RunRecord{}));
}

TEST_F(RunFile, ATrainingThatWasInterruptedComesBackAsEnded) {
  RunRecord run = full_record();
  run.training->ended = true;
  for (const std::string& text : {run_lines(run), to_json(run)}) {
    const RunRecord back = read(text);
    ASSERT_TRUE(back.training);
    EXPECT_TRUE(back.training->ended);
    EXPECT_FALSE(back.training->finished);
  }
  EXPECT_FALSE(read(run_lines(full_record())).training->ended);
}

TEST_F(RunFile, OfVersionsThatKnewOnlyTheFinishedIsReadToo) {
  RunRecord run = full_record();
  run.training->finished = true;
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(to_json(run));
  ASSERT_EQ(document["training"].erase("ended"), 1U);
  const RunRecord back = read(document.dump());
  EXPECT_TRUE(back.training->over());
  EXPECT_FALSE(back.training->ended);
}

TEST_F(RunFile, TheFirstLineIsTheRunAndTheOthersSayWhatTheyAre) {
  std::map<std::string, int> types;
  const std::vector<std::string> lines = lines_of(run_lines(full_record()));
  for (const std::string& line : lines) ++types[nlohmann::json::parse(line)["type"]];
  const std::map<std::string, int> wanted{{"run", 1},     {"sample", 2}, {"epoch", 2}, {"kernel", 2}, {"operation", 1},
                                          {"anomaly", 2}, {"advice", 1}, {"event", 2}, {"pool", 1},   {"figure", 1}};
  EXPECT_EQ(types, wanted);
  const nlohmann::json first = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(first["type"], "run");
  EXPECT_EQ(first["device"]["id"], "vulkan:0");
  for (const char* list : {"samples", "epochs", "kernels", "operations", "anomalies", "advice", "events", "pool", "figures"})
    EXPECT_FALSE(first.contains(list)) << list;
}

TEST_F(RunFile, ADocumentIsReadToo) {
  const std::string text = to_json(full_record());
  EXPECT_EQ(to_json(read(text)), text);
  EXPECT_EQ(to_json(read(nlohmann::ordered_json::parse(text).dump(2) + "\n")), text);
}

TEST_F(RunFile, WhereverAKilledProcessStoppedWhatCameBeforeIsKept) {
  const std::string text = run_lines(full_record());
  const std::size_t first = text.find('\n');
  for (std::size_t length = first + 1; length <= text.size(); ++length) {
    const std::string kept = text.substr(0, length);
    const RunRecord run = read(kept);
    EXPECT_EQ(run.device.id, "vulkan:0");
    const std::vector<std::string> lines = lines_of(kept);
    const bool whole = nlohmann::json::accept(lines.back());
    ASSERT_EQ(run.samples.size() + run.epochs.size() + run.kernels.size() + run.operations.size() + run.anomalies.size() +
                  run.advice.size() + run.events.size() + run.figures.size() + (run.pool ? 1U : 0U),
              lines.size() - 1 - (whole ? 0 : 1))
        << length << " bytes";
  }
  for (std::size_t length = 0; length < first; length += 11) EXPECT_NE(refusal(text.substr(0, length)), "accepted") << length;
}

TEST_F(RunFile, AnythingElseThatIsWrongIsNamedWithItsLine) {
  const std::string head = lines_of(run_lines(RunRecord{}))[0] + '\n';
  const auto ends = [&](const std::string& text) {
    const std::string message = refusal(text);
    return message.substr(message.find("run.jsonl") + 9);
  };
  EXPECT_EQ(ends(head + "{\"type\":\"sample\",\"live\":-1}\n"), ", line 2: sample.live: got -1, wanted a whole number from 0");
  EXPECT_EQ(ends(head + "\n{\"type\":\"epoch\",\"epoch\":[]}\n"),
            ", line 3: epoch.epoch: got a list of 0, wanted a whole number of 64 bits");
  EXPECT_EQ(ends(head + "{}\n"), ", line 2: a line without a \"type\"");
  EXPECT_EQ(ends(head + "[]\n"), ", line 2: a line without a \"type\"");
  EXPECT_EQ(ends(head + "{\"type\":7}\n"), ", line 2: a line without a \"type\"");
  EXPECT_TRUE(ends(head + "{\"type\":\"sam\n" + head).starts_with(", line 2: the line is not JSON")) << "cut off, but not the last";
  EXPECT_EQ(ends("{\"type\":\"sample\"}\n" + head), ", line 1: the first line is not of type \"run\"");
  EXPECT_EQ(ends("{\"type\":\"run\"}\n"), ", line 1: format: got null, wanted \"tidepool run 1\"");
  EXPECT_NE(refusal("").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("hello\n").find("wanted a file that tp::monitor::write_run wrote"), std::string::npos);
  EXPECT_NE(refusal("{\"format\":\"tidepool run 1\"}\n{\"a\":1}\n"), "accepted") << "two documents";
}

TEST_F(RunFile, LinesOfTypesYetToComeArePassedOver) {
  const std::string head = lines_of(run_lines(RunRecord{}))[0] + '\n';
  EXPECT_EQ(read(head + "{\"type\":\"weather\",\"rain\":true}\n{\"type\":\"sample\",\"time\":3}\n").samples.at(0).time, 3);
}

TEST_F(RunFile, SpoiledFilesAreErrorsOrRuns) {
  const std::string text = run_lines(full_record());
  EXPECT_GT(spoil("run.jsonl", text, 2000, [&] { read_run(path("run.jsonl")); }), 500);
}

TEST_F(RunFile, AFileThatIsNotThereAndAFolderAreNamed) {
  EXPECT_FALSE(loads([&] { read_run(path("nothing.jsonl")); }));
  EXPECT_FALSE(loads([&] { read_run(folder()); }));
}

TEST(SamplesCsv, HasAColumnForEveryFieldAndALineForEverySample) {
  RunRecord run = full_record();
  run.samples[0].device = "a, \"device\"";
  const std::vector<std::string> lines = lines_of(samples_csv(run));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      lines[0],
      "time,device,tensors,live,reserved,cached,peak,limit,activations,parameters,gradients,optimizer,plan,scratch,launches,flushes,"
      "plan_runs,allocations,reuses,evictions,transfers,transfer_bytes,compute_ms,transfer_ms,wait_ms,utilisation,system_utilisation,epoch,"
      "steps,step_ms,loader_ms,loss,accuracy,samples_per_second");
  EXPECT_EQ(
      lines[1],
      "11,\"a, \"\"device\"\"\",42,1000,4096,3096,5000,8192,500,200,150,100,30,20,101,11,12,13,14,15,16,65536,1500.5,20.25,30.125,0.75,"
      "0.875,2,77,12.5,0.5,0.1,0.9375,5120");
  EXPECT_EQ(
      lines[2],
      "12,vulkan:0,42,1000,4096,3096,5000,8192,500,200,150,100,30,20,101,11,12,13,14,15,16,65536,1500.5,20.25,30.125,,0.875,2,77,12.5,"
      "0.5,nan,0.9375,5120");
}

TEST(SamplesCsv, WithoutSamplesThereIsTheLineOfNames) { EXPECT_EQ(lines_of(samples_csv(RunRecord{})).size(), 1U); }

struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(WaysOut, NumbersAreTheSameInEveryLocale) {
  const RunRecord run = full_record();
  const auto all = [&] { return samples_csv(run) + run_lines(run) + prometheus_text(run) + trace_json({}, run); };
  const std::string text = all();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  std::ostringstream number;
  number << 1234.5;
  const std::string there = all();
  std::locale::global(before);
  EXPECT_EQ(number.str(), "1.234,5") << "such a locale is set";
  EXPECT_EQ(there, text);
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
