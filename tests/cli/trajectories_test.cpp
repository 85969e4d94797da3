// tidepool trajectories.
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <regex>

#include <tidepool/data.h>
#include <tidepool/loader.h>

#include "cli/tool.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class TrajectoriesCommand : public ToolTest {
 protected:
  nlohmann::json json(const std::string& arguments) const {
    const Outcome o = run("trajectories --json " + arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return nlohmann::json::parse(o.out);
  }
  // A wrong use: one line that has these words, status 2, and nothing on standard output.
  void expect_wrong(const std::string& arguments, const std::string& words) const {
    const Outcome o = run("trajectories --count 10 " + arguments);
    EXPECT_EQ(o.status, 2) << arguments << ": " << o.out;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_HAS(o.err, words);
  }
};

TEST_F(TrajectoriesCommand, PrintsAShortTable) {
  const Outcome o = run("trajectories --count 2000 --device cpu");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out.find("2000 flights (baseball; rk4, step 0.01 s) on cpu: "), 0U) << o.out;
  for (const char* words : {"flights/s", "mean", "50 %", "range m", "apex m", "time s"}) EXPECT_HAS(o.out, words);
}

TEST_F(TrajectoriesCommand, GivesOneDocumentWithTheSameFiguresOnEveryDevice) {
  const nlohmann::json cpu = json("--count 3000 --device cpu");
  EXPECT_EQ(cpu["flights"], 3000);
  EXPECT_EQ(cpu["landed"], 3000);
  EXPECT_EQ(cpu["device"], "cpu");
  EXPECT_GT(cpu["flights_per_second"], 0);
  EXPECT_LT(cpu["range"]["p5"], cpu["range"]["p50"]);
  EXPECT_LT(cpu["range"]["p50"], cpu["range"]["p95"]);
  EXPECT_LE(cpu["range"]["p95"], cpu["range"]["max"]);
  const nlohmann::json adaptive = json("--count 3000 --device cpu --method adaptive");
  EXPECT_NEAR(adaptive["range"]["mean"].get<double>() / cpu["range"]["mean"].get<double>(), 1, 1e-5);
  EXPECT_LT(adaptive["steps"]["mean"].get<double>(), cpu["steps"]["mean"].get<double>() / 5);
  EXPECT_NE(json("--count 3000 --seed 2")["range"]["mean"], cpu["range"]["mean"]);
  SKIP_WITHOUT_DEVICE("vulkan:0");
  for (const char* figure : {"range", "apex", "time"})
    EXPECT_NEAR(json("--count 3000 --device vulkan:0")[figure]["mean"].get<double>() / cpu[figure]["mean"].get<double>(), 1, 1e-5);
}

TEST_F(TrajectoriesCommand, WindDragLiftSpinAndHeightDoWhatTheySay) {
  const auto range = [&](const std::string& arguments) {
    return json("--count 500 --speed 40 --elevation 30 --azimuth 0 --tilt 0 --spin 2000 " + arguments)["range"]["mean"].get<double>();
  };
  const double usual = range("");
  EXPECT_GT(range("--wind 10"), usual + 5);
  EXPECT_LT(range("--wind=-10,0,0"), usual - 5);
  EXPECT_GT(range("--no-drag"), usual + 30);
  EXPECT_LT(range("--no-lift"), usual - 1);
  EXPECT_NEAR(range("--no-lift --no-drag --height 0"), 1600 * std::sin(M_PI / 3) / 9.80665, 0.01);
  EXPECT_GT(range("--spin-decay 0"), usual);
  EXPECT_GT(range("--height 30"), usual + 5);
  EXPECT_NE(range("--ball golf"), usual);
}

TEST_F(TrajectoriesCommand, WritesCsvAndNpyWithTheSameNumbers) {
  ASSERT_EQ(run("trajectories --count 70000 --method adaptive --out a.npy --plot a.svg").status, 0);
  ASSERT_EQ(run("trajectories --count 300 --method adaptive --out a.csv").status, 0);
  const data::Dataset npy = data::npy(path("a.npy"), path("a.npy"));
  ASSERT_EQ(npy.size(), 70'000);
  const auto rows = (*data::Loader(npy, {.batch = 300}).begin()).x.to_host<float>();
  const auto lines = (*data::Loader(data::csv(path("a.csv"), {.labels = false}), {.batch = 300}).begin()).x.to_host<float>();
  ASSERT_EQ(lines.size(), 3000U);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], rows[i / 10 * 11 + i % 10]) << i;
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_GE(rows[i * 11], 30);
    EXPECT_LE(rows[i * 11], 50);
    EXPECT_GT(rows[i * 11 + 5], 10) << "x";
  }
}

// Every tag that is opened is closed, in order, and every quotation mark in it.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag.substr(0, 80);
    EXPECT_EQ(std::ranges::count(tag, '"') % 2, 0) << tag.substr(0, 80);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
  for (const char* never : {"nan", "inf", "&"}) EXPECT_EQ(svg.find(never), std::string::npos) << never;
}

TEST_F(TrajectoriesCommand, DrawsFlightsAndWhereTheyLand) {
  ASSERT_EQ(run("trajectories --count 5000 --method adaptive --plot a.svg").status, 0);
  const std::string svg = contents(path("a.svg"));
  EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0U);
  expect_well_formed(svg);
  EXPECT_LT(svg.size(), 100'000U);
  std::size_t points = 0;
  for (std::size_t at = 0; (at = svg.find("h0", at)) != std::string::npos; ++at) ++points;
  EXPECT_EQ(points, 3000U);
  ASSERT_EQ(run("trajectories --count 1 --speed 20 --elevation 90 --spin 0 --plot one.svg").status, 0) << "a picture without any width";
  expect_well_formed(contents(path("one.svg")));
}

TEST_F(TrajectoriesCommand, SaysInOneLineWhatIsWrong) {
  expect_wrong("--count 0", "0 is too small; wanted 1 or more");
  expect_wrong("--count 1e6", "'1e6' is no whole number");
  expect_wrong("--step 0", "'0' is out of range");
  expect_wrong("--step=-0.01", "out of range");
  expect_wrong("--step 0.5", "wanted a number from 0.0001 to 0.1");
  expect_wrong("--step nan", "'nan' is no number");
  expect_wrong("--tolerance 1e-12", "wanted a number from 1e-07 to 0.01");
  expect_wrong("--speed nan", "'nan' is no range");
  expect_wrong("--speed 30:nan", "is no range");
  expect_wrong("--speed 50:30", "'50:30' is no range; wanted A:B");
  expect_wrong("--speed=-5", "is no range");
  expect_wrong("--elevation 10:100", "from 0 to 90");
  expect_wrong("--wind 1,2,3,4", "is no wind");
  expect_wrong("--method euler", "there is no method 'euler'; wanted rk4 or adaptive");
  expect_wrong("--ball apple", "there is no ball 'apple'; wanted one of baseball, golf");
  expect_wrong("--out flights.xlsx", "end it in .csv or .npy");
  expect_wrong("--plot a.png", "end it in .svg");
  expect_wrong("--memory-limit much", "is no size");
}

TEST_F(TrajectoriesCommand, FailsAtOnceWhereItCannotWriteAndLeavesNothing) {
  for (const char* option : {"--out nowhere/a.csv", "--out nowhere/a.npy", "--plot nowhere/a.svg"}) {
    const Outcome o = run(std::string("trajectories --count 100000000 ") + option);
    EXPECT_EQ(o.status, 1) << option;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_HAS(o.err, "nowhere/a.");
  }
  const Outcome o = run("trajectories --count 10 --device vulkan:99");
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
}

TEST_F(TrajectoriesCommand, TellsOfFlightsThatDidNotLand) {
  const Outcome some = run("trajectories --count 300 --step 0.0001 --ball tennis --elevation 0:90 --speed 1:150 --height 30 --out a.csv");
  EXPECT_EQ(some.status, 0) << some.err;
  EXPECT_TRUE(
      std::regex_search(some.err, std::regex("tidepool: [0-9]+ of 300 flights did not land within 60000 steps; give a longer --step")))
      << some.err;
  EXPECT_HAS(contents(path("a.csv")), ",nan,nan,nan,nan,nan,60000\n");
  const Outcome none = run("trajectories --count 20 --step 0.0001 --height 1000 --out b.csv");
  EXPECT_EQ(none.status, 1);
  EXPECT_HAS(none.err, "no flight landed within 60000 steps; give a longer --step");
  EXPECT_FALSE(std::filesystem::exists(path("b.csv")));
}

TEST_F(TrajectoriesCommand, GoesOnWhenTheDeviceIsLost) {
  const nlohmann::json undisturbed = json("--count 200000 --method adaptive");
  ::setenv("TIDEPOOL_FAULT", "device_lost@launch:9", 1);
  const Outcome o = run("trajectories --json --count 200000 --method adaptive");
  ::unsetenv("TIDEPOOL_FAULT");
  ASSERT_EQ(o.status, 0) << o.err;
  const nlohmann::json lost = nlohmann::json::parse(o.out);
  EXPECT_EQ(lost["recoveries"], 1);
  EXPECT_EQ(lost["range"], undisturbed["range"]);
  EXPECT_HAS(o.err, "going on from flight");
}

TEST_F(TrajectoriesCommand, CtrlCEndsItWithoutAFile) {
  const std::string command = "timeout --preserve-status -s INT 2 '" TIDEPOOL_TOOL "' trajectories --count 2000000000 --out '" +
                              path("a.csv") + "' >'" + path("out") + "' 2>'" + path("err") + "'";
  const int status = std::system(command.c_str());  // NOLINT: our own command
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_HAS(contents(path("err")), "tidepool: interrupted after ");
  EXPECT_FALSE(std::filesystem::exists(path("a.csv")));
  EXPECT_EQ(contents(path("out")), "");
}

TEST_F(TrajectoriesCommand, SlowAMillionFlightsFitIntoASmallLimit) {
  const nlohmann::json done = json("--count 1000000 --memory-limit 16MiB --out a.npy");
  EXPECT_EQ(done["flights"], 1'000'000);
  EXPECT_EQ(done["landed"], 1'000'000);
  EXPECT_EQ(std::filesystem::file_size(path("a.npy")), 128U + 44'000'000U);
}

}  // namespace
}  // namespace tidepool::inline v0
