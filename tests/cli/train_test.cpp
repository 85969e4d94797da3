// tidepool train and eval.
#include <poll.h>
#include <pty.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/tool.h"

namespace tidepool::inline v0 {
namespace {

class TrainCommand : public ToolTest {};

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(nlohmann::json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

TEST_F(TrainCommand, LearnsExclusiveOrWithEverySeed) {
  for (int seed = 0; seed < 20; ++seed) {
    const Outcome o = run("train xor --json --seed " + std::to_string(seed));
    ASSERT_EQ(o.status, 0) << o.err;
    const auto lines = lines_of(o.out);
    EXPECT_EQ(lines.front()["event"], "start");
    EXPECT_EQ(lines.back()["event"], "end");
    EXPECT_EQ(lines.back()["steps"], 500);
    EXPECT_LT(lines.back()["loss"].get<double>(), 1e-3) << "seed " << seed;
  }
}

TEST_F(TrainCommand, SaysOneLineWhereThereIsNoTerminal) {
  const Outcome o = run("train xor --save net.safetensors");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out.find("xor: 500 epochs, 500 steps, loss "), 0U) << o.out;
  EXPECT_EQ(o.err, "");
  const Outcome e = run("eval --model net.safetensors --data xor --json");
  ASSERT_EQ(e.status, 0) << e.err;
  EXPECT_LT(nlohmann::json::parse(e.out)["loss"].get<double>(), 1e-3);
}

TEST_F(TrainCommand, LearnsASineAndDrawsIt) {
  const Outcome o = run("train sine --plot sine.svg --json");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_LE(lines_of(o.out).back()["loss"].get<double>(), 1e-3);
  EXPECT_EQ(contents(path("sine.svg")).find("<svg"), 0U);
}

TEST_F(TrainCommand, AfterCtrlCResumesToTheSameBits) {
  ASSERT_EQ(run("train sine --epochs 60 --save whole.safetensors").status, 0);
  const std::string end = " --epochs 60 --json --save parts.safetensors";
  Outcome o = run("train sine" + end, "\"epoch\":3,");
  int interruptions = 0;
  for (; o.status == 130 && interruptions < 3; ++interruptions) {
    EXPECT_NE(o.err.find("go on with: tidepool train sine --checkpoint sine.ckpt --resume --epochs 60"), std::string::npos) << o.err;
    o = run("train sine --checkpoint sine.ckpt --resume" + end, interruptions == 2 ? "" : "\"event\":\"epoch\"");
  }
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_GE(interruptions, 1);
  EXPECT_EQ(contents(path("parts.safetensors")), contents(path("whole.safetensors")));
}

TEST_F(TrainCommand, TheCommandToGoOnWithIsOneForTheShellAndHasEveryOption) {
  const std::string options =
      " --device cpu --epochs 1000000 --batch 100 --seed 5 --memory-limit 1GiB --save 'my net' --record 'run;1' --plot '$HOME.svg'"
      " --auto-tune --show --json";
  const std::string command = "train sine --checkpoint 'it'\\''s mine.ckpt' --resume" + options;
  const Outcome first = run("train sine --checkpoint \"it's mine.ckpt\"" + options, "\"epoch\":2,");
  EXPECT_EQ(first.status, 130);
  EXPECT_NE(first.err.find("; go on with: tidepool " + command + "\n"), std::string::npos) << first.err;
  const Outcome second = run(command, "\"event\":\"epoch\"");
  EXPECT_EQ(second.status, 130);
  EXPECT_NE(second.err.find("; go on with: tidepool " + command + "\n"), std::string::npos) << second.err;
  EXPECT_GT(lines_of(second.out)[1]["epoch"].get<int>(), 2) << "it went on";
}

TEST_F(TrainCommand, WhereNothingWasKeptThereIsNoCommandToGoOnWith) {
  std::filesystem::create_directory(path("sine.ckpt"));
  const Outcome o = run("train sine --epochs 1000000 --json", "\"epoch\":2,");
  EXPECT_EQ(o.status, 130);
  EXPECT_NE(o.err.find("; nothing was kept to go on from\n"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("could not be kept: fit: sine.ckpt: is a directory"), std::string::npos) << o.err;
}

TEST_F(TrainCommand, WrongUsageIsOneLineAndStatusTwo) {
  for (const char* arguments : {"train", "train nothing", "train xor --batch 0", "train xor --epochs -3", "train xor --memory-limit much",
                                "train xor --unknown", "eval --model x"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << arguments;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

TEST_F(TrainCommand, SaysWhatWasProbablyMeantOrIsWanted) {
  for (const auto& [arguments, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "a command is wanted, such as devices, doctor or train; see `tidepool --help`"},
           {"tain", "there is no command 'tain' (did you mean train?); see `tidepool --help`"},
           {"nonsense --help", "there is no command 'nonsense'; see `tidepool --help`"},
           {"train xor --epoch 3", "there is no option '--epoch' (did you mean --epochs?); see `tidepool train --help`"},
           {"train xor --learning-rate 3", "there is no option '--learning-rate'; see `tidepool train --help`"},
           {"train xor --dashboard 8080", "'8080' was not expected; wanted --dashboard=8080; see `tidepool train --help`"},
           {"train", "a task is wanted: xor, sine or fashion-mnist; see `tidepool train --help`"},
           {"train xor --epochs", "--epochs: wanted a value; see `tidepool train --help`"},
           {"bench --filter", "--filter: wanted a value; see `tidepool bench --help`"},
           {"bench --filter 'a{1234567890}'",
            "--filter: a regular expression with a number of more than 9 digits; wanted a smaller one; see `tidepool bench --help`"},
           {"train xor --save ''", "--save: wanted a value, got an empty one; see `tidepool train --help`"},
           {"train xor --device \"\"", "--device: wanted a value, got an empty one; see `tidepool train --help`"},
           {"report run.jsonl --out ''", "--out: wanted a value, got an empty one; see `tidepool report --help`"},
           {"train xor --seed 1 --seed 2", "--seed: wanted one value, got 2; see `tidepool train --help`"},
           {"train xor --save a --save b --save c", "--save: wanted one value, got 3; see `tidepool train --help`"},
           {"train xor --save --json", "--save: wanted a value, got the option '--json'; see `tidepool train --help`"},
           {"eval --data xor", "--model is wanted: the network, as safetensors; see `tidepool eval --help`"},
           {"report", "a run is wanted: the file that a run was written to; see `tidepool report --help`"},
           {"train xor sine", "'sine' was not expected; see `tidepool train --help`"},
           {"--versio", "there is no option '--versio' (did you mean --version?); see `tidepool --help`"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << arguments;
    EXPECT_EQ(o.err, std::string("tidepool: ") + message + "\n");
  }
}

TEST_F(TrainCommand, WhatCannotBeDrawnIsSaidBeforeTheWork) {
  for (const std::string task : {"xor", "fashion-mnist"}) {
    const Outcome o = run("train " + task + " --plot x.svg --json");
    EXPECT_EQ(o.status, 2) << task;
    EXPECT_EQ(o.err,
              "tidepool: --plot: " + task + " is no function of one number; leave it out, or train sine; see `tidepool train --help`\n");
    EXPECT_EQ(o.out, "") << "nothing was trained";
  }
}

TEST_F(TrainCommand, WhatCannotBeWrittenIsSaidBeforeTheWork) {
  for (const std::string option : {"--save", "--record", "--plot", "--checkpoint"}) {
    const Outcome o = run("train sine --epochs 2 " + option + " none/result");
    EXPECT_EQ(o.status, 1) << option;
    EXPECT_NE(o.err.find("none/result: cannot be written: there is no folder none; make it first"), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "") << option;
  }
}

TEST_F(TrainCommand, WhatCannotBeReadOrWrittenIsOneLineAndStatusOne) {
  for (const auto& [arguments, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"train xor --resume --checkpoint none.ckpt", "none.ckpt"},
           {"train xor --save /no/such/folder/net.safetensors", "/no/such/folder/net.safetensors"},
           {"train xor --device vulkan:99", "vulkan:99"},
           {"eval --model none.safetensors --data xor", "none.safetensors"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 1) << arguments;
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

TEST_F(TrainCommand, ResumesWhereOnlyTheCheckpointBeforeIsLeft) {
  ASSERT_EQ(run("train xor --epochs 5 --checkpoint a.ckpt").status, 0);
  std::filesystem::rename(path("a.ckpt"), path("a.ckpt.previous"));
  const Outcome o = run("train xor --epochs 8 --checkpoint a.ckpt --resume --json");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("going on from a.ckpt.previous"), std::string::npos) << o.err;
  EXPECT_EQ(lines_of(o.out).back()["steps"], 8);
}

// Files may have a kilobyte here, as on a disk that fills up while it trains. What a program counts of itself (scripts/coverage) would be
// cut off there as well, so it goes elsewhere.
TEST_F(TrainCommand, ARecordThatCannotBeWrittenInTheEndIsOneLineAndStatusOne) {
  const Outcome o = run("train xor --json --epochs 2 --record run.jsonl", "",
                        "env GCOV_PREFIX=counters GCOV_ERROR_FILE=uncounted sh -c 'trap \"\" XFSZ; ulimit -f 2; exec \"$0\" \"$@\"'");
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(o.err.starts_with("tidepool: write_run: ")) << o.err;
  EXPECT_NE(o.err.find("run.jsonl"), std::string::npos) << o.err;
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
  EXPECT_FALSE(std::filesystem::exists(path("run.jsonl")));
}

TEST_F(TrainCommand, ResultsThatCannotBePrintedAreOneLineAndStatusOne) {
  for (const std::string arguments : {"train xor --epochs 2", "train xor --epochs 2 --json"}) {
    const Outcome o = run(arguments, "", "sh -c 'exec \"$0\" \"$@\" >/dev/full'");
    EXPECT_EQ(o.status, 1) << arguments;
    EXPECT_EQ(o.err, "tidepool: cannot write to standard output; is the disk full, or its reader gone?\n") << arguments;
  }
}

// As with `| head -1`: who reads the lines goes away, and the results are files.
TEST_F(TrainCommand, ResultsInFilesAreThereThoughNobodyReadsWhatIsPrinted) {
  for (const std::string json : {"", " --json"}) {
    const Outcome o = run("train sine --epochs 3 --save net.safetensors --plot sine.svg --record run.jsonl" + json, "",
                          "sh -c '{ sleep 0.2; \"$0\" \"$@\"; echo $? >status; } | true'");
    EXPECT_EQ(contents(path("status")), "1\n") << json;
    EXPECT_EQ(o.err, "tidepool: cannot write to standard output; is the disk full, or its reader gone?\n");
    for (const char* result : {"net.safetensors", "sine.svg", "run.jsonl"}) {
      EXPECT_TRUE(std::filesystem::exists(path(result))) << result << json;
      std::filesystem::remove(path(result));
    }
  }
  const auto before = std::signal(SIGPIPE, SIG_DFL);  // which whoever runs the tests may have ignored
  run("train sine --epochs 3", "", "sh -c '{ sleep 0.2; \"$0\" \"$@\"; echo $? >status; } | true'");
  EXPECT_EQ(contents(path("status")), std::to_string(128 + SIGPIPE) + "\n") << "there is nothing to go on for";
  std::signal(SIGPIPE, before);
}

// What is drawn over must not have wrapped.
TEST_F(TrainCommand, TheBarFitsIntoTheTerminalThatItIsOn) {
  for (const std::uint16_t columns : std::initializer_list<std::uint16_t>{80, 40}) {
    const winsize size{.ws_row = 30, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = started(forkpty(&terminal, nullptr, nullptr, &size));
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exec '" TIDEPOOL_TOOL "' train sine --epochs 100000 --seed 1 >/dev/null", nullptr);
      _exit(127);
    }
    std::string shown;
    const auto enough = [&] { return std::ranges::count(shown, '%') >= 4 || shown.size() > 1'000'000; };  // each bar has one
    for (pollfd entry{terminal, POLLIN, 0}; !enough() && poll(&entry, 1, 20'000) > 0;) {
      char piece[4096];
      const ssize_t got = read(terminal, piece, sizeof piece);
      if (got <= 0) break;
      shown.append(piece, static_cast<std::size_t>(got));
    }
    kill(child, SIGKILL);
    close(terminal);
    waitpid(child, nullptr, 0);
    std::size_t bars = 0;
    for (std::size_t at = 0, end; (end = shown.find('\r', at)) != std::string::npos; at = end + 1) {
      const std::string row = shown.substr(at, end - at);
      if (row.find("\x1b[2Kepoch ") == std::string::npos || row.find('%') == std::string::npos) continue;
      ++bars;
      const auto wide = std::ranges::count_if(row, [](char c) { return (c & 0xC0) != 0x80; }) - 4;  // without the escape
      EXPECT_LT(wide, columns) << row;
      EXPECT_GT(wide, columns / 2) << row;
    }
    EXPECT_GE(bars, 2U) << shown;
  }
}

// Whole numbers would be taken for labels, which these tasks have none of.
TEST_F(TrainCommand, ACsvFileForATaskWithoutClassesHasRealTargets) {
  ASSERT_EQ(run("train xor --epochs 20 --save xor.safetensors").status, 0);
  std::ofstream(path("xor.csv")) << "0,0,0\n0,1,1\n1,0,1\n1,1,0\n";
  const Outcome own = run("eval --model xor.safetensors --data xor --json");
  const Outcome csv = run("eval --model xor.safetensors --data xor.csv --json");
  ASSERT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(csv.out, own.out);
  std::filesystem::copy_file(path("xor.csv"), path("a,b.csv"));
  EXPECT_EQ(run("eval --model xor.safetensors --data a,b.csv --json").out, own.out) << "a comma may be in a name, too";
  ASSERT_EQ(run("train sine --epochs 1 --save sine.safetensors").status, 0);
  std::ofstream(path("sine.csv")) << "0,0\n1.5707963,1\n";
  const Outcome sine = run("eval --model sine.safetensors --data sine.csv --json");
  ASSERT_EQ(sine.status, 0) << sine.err;
  EXPECT_EQ(nlohmann::json::parse(sine.out)["samples"], 2);
}

TEST_F(TrainCommand, KeepsAMemoryLimit) {
  const Outcome o = run("train fashion-mnist --memory-limit 24MiB --batch 256 --json", "128 samples at once");
  ASSERT_EQ(o.status, 130) << o.err;
  EXPECT_NE(o.out.find("out of memory: from now on 128 samples at once"), std::string::npos) << o.out;
}

// PyTorch with this network: 0.873, 0.891, 0.903.
TEST_F(TrainCommand, SlowlyLearnsFashionMnist) {
  std::vector<double> accuracies;
  for (const char* seed : {"1", "2", "3"}) {
    const Outcome o = run(std::string("train fashion-mnist --json --save net.safetensors --seed ") + seed);
    ASSERT_EQ(o.status, 0) << o.err;
    accuracies.push_back(lines_of(o.out).back()["test_accuracy"].get<double>());
  }
  const Outcome e = run("eval --model net.safetensors --data fashion-mnist --json");
  ASSERT_EQ(e.status, 0) << e.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(e.out)["accuracy"].get<double>(), accuracies.back());
  std::sort(accuracies.begin(), accuracies.end());
  EXPECT_GE(accuracies[1], 0.885);
}

}  // namespace
}  // namespace tidepool::inline v0
