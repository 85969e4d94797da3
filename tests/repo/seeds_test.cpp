// docs/seeds.md names calls, files, tests and gates; all of them are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "repo/declarations.h"

namespace tidepool::repo {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path& source() {
  static const fs::path path(TIDEPOOL_SOURCE_DIR);
  return path;
}

// The tests of a folder, as "Suite.Name".
Names tests_in(const std::string& folder) {
  Names names;
  if (!fs::exists(source() / "tests" / folder)) return names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source() / "tests" / folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::vector<std::string> tokens = tokens_of(text_of(entry.path()));
    for (std::size_t i = 0; i + 5 < tokens.size(); ++i)
      if ((tokens[i] == "TEST" || tokens[i] == "TEST_F" || tokens[i] == "TEST_P") && tokens[i + 1] == "(" && tokens[i + 3] == ",")
        names.insert(tokens[i + 2] + "." + tokens[i + 4]);
  }
  return names;
}

template <class Make>
const Names& kept(std::map<std::string, Names>& known, const std::string& key, Make&& make) {
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, make(key)).first->second;
}
bool is_test(const std::string& folder, const std::string& name) {
  static std::map<std::string, Names> known;
  return kept(known, folder, tests_in).contains(name);
}
bool declares(const std::string& header, const std::string& name) {
  static std::map<std::string, Names> known;
  return kept(known, header, [](const std::string& h) { return declarations_in(source() / "include/tidepool" / h); }).contains(name);
}

// All words of the stories that go through these calls; the page's are with its own tests, which link what it needs.
bool is_used(const std::string& name) {
  static const Names words = [] {
    Names all;
    for (const char* folder : {"tests/stories", "tests/web"})
      for (const fs::directory_entry& entry : fs::directory_iterator(source() / folder)) {
        const std::string file = entry.path().filename();
        if (!file.starts_with("seeds_") && file != "dashboard_test.cpp") continue;
        const std::vector<std::string> tokens = tokens_of(text_of(entry.path()));
        all.insert(tokens.begin(), tokens.end());
      }
    return all;
  }();
  return words.contains(name.substr(name.rfind(':') + 1));
}

bool is_gate(const std::string& name) {
  static const std::string gates = text_of(source() / "bench/gates.cpp");
  return gates.find("{\"" + name + "\",") != std::string::npos;
}
bool is_case(const std::string& operation) {
  static const std::string cases = [] {
    std::string all;
    for (const fs::directory_entry& entry : fs::directory_iterator(source() / "tests/conformance"))
      if (entry.path().string().ends_with("_cases.cpp")) all += text_of(entry.path());
    return all;
  }();
  return cases.find(".op = \"" + operation + "\"") != std::string::npos;
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& what) {
  return {std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()};
}

using Row = std::vector<std::string>;  // what the seeds name, what it is here, what shows it

void check_calls(const std::string& cell, std::vector<std::string>& wrong) {
  static const std::regex call("`(tp::[A-Za-z0-9_:]+)`"), header("`([a-z_]+\\.h)`");
  const auto headers = matches(cell, header);
  for (const std::smatch& h : headers)
    if (!fs::exists(source() / "include/tidepool" / h[1].str())) wrong.push_back("no header " + h[1].str());
  for (const std::smatch& c : matches(cell, call)) {
    const std::string name = c[1];
    if (std::ranges::none_of(headers, [&](const std::smatch& h) { return declares(h[1], name); }))
      wrong.push_back(name + " is not declared in the headers that are named");
    if (!is_used(name)) wrong.push_back(name + " is not used by the seeds' stories");
  }
}

// "tests/device: `Suite.Name`, …; gate `name`; case `operation`". True: there is something that shows it.
bool check_shown(const std::string& cell, std::vector<std::string>& wrong) {
  static const std::regex part("tests/([a-z]+):|(gate|case) `([^`]+)`|`([^`]+)`");
  std::string folder;
  bool shown = false;
  for (const std::smatch& m : matches(cell, part)) {
    if (m[1].matched) {
      folder = m[1];
    } else if (m[2] == "case") {
      if (!is_case(m[3])) wrong.push_back("no case " + m[3].str());
    } else {
      shown = true;
      if (m[2] == "gate" && !is_gate(m[3])) wrong.push_back("no gate " + m[3].str());
      if (m[4].matched && !is_test(folder, m[4])) wrong.push_back("no test " + m[4].str() + " in tests/" + folder);
    }
  }
  return shown;
}

void check_files(const std::string& text, std::vector<std::string>& wrong) {
  static const std::regex file("`((?:include|src|tests|bench|docs|examples|scripts)/[A-Za-z0-9_./-]+)`"), link("\\]\\(([^)#]+)[^)]*\\)");
  for (const std::smatch& m : matches(text, file))
    if (!fs::exists(source() / m[1].str())) wrong.push_back("no file " + m[1].str());
  for (const std::smatch& m : matches(text, link))
    if (!fs::exists(source() / "docs" / m[1].str())) wrong.push_back("no file docs/" + m[1].str());
}

std::vector<std::string> what_is_wrong_with(const Row& row) {
  std::vector<std::string> wrong;
  if (row.size() != 3) return {"a row has three cells"};
  for (const std::string& cell : row) {
    if (cell.empty()) wrong.emplace_back("an empty cell");
    check_files(cell, wrong);
  }
  check_calls(row[1], wrong);
  if (row[2] == "—") {
    if (!row[1].starts_with("Not ")) wrong.emplace_back("nothing shows it, and it is not said to be missing");
  } else if (!check_shown(row[2], wrong)) {
    wrong.emplace_back("neither a test nor a gate shows it");
  }
  return wrong;
}

Row cells_of(const std::string& line) {
  Row cells;
  std::size_t begin = 2;
  for (std::size_t end; (end = line.find(" |", begin)) != std::string::npos; begin = end + 3)
    cells.push_back(line.substr(begin, end - begin));
  return cells;
}

std::vector<Row> rows() {
  std::vector<Row> all;
  std::stringstream text(text_of(source() / "docs/seeds.md"));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("| ") && line != "| the seeds | here | shown by |") all.push_back(cells_of(line));
  return all;
}

std::string first_wrong(const Row& row) {
  const std::vector<std::string> wrong = what_is_wrong_with(row);
  return wrong.empty() ? "" : wrong.front();
}

TEST(SeedsMap, EveryRowNamesWhatIsThere) {
  for (const Row& row : rows())
    for (const std::string& wrong : what_is_wrong_with(row)) ADD_FAILURE() << (row.empty() ? "" : row[0]) << ": " << wrong;
  std::vector<std::string> wrong;
  check_files(text_of(source() / "docs/seeds.md"), wrong);
  EXPECT_TRUE(wrong.empty()) << wrong.front();
}

TEST(SeedsMap, FindsWhatIsNotThere) {
  const std::string test = "tests/device: `Batches.ViewsLaunchNothing`";
  EXPECT_EQ(first_wrong({"x", "`tp::commit` in `run.h`", test}), "");
  EXPECT_EQ(first_wrong({"x", "`tp::commit_batch` in `run.h`", test}), "tp::commit_batch is not declared in the headers that are named");
  EXPECT_EQ(first_wrong({"x", "`tp::commit` in `memory.h`", test}), "tp::commit is not declared in the headers that are named");
  EXPECT_EQ(first_wrong({"x", "`tp::raw::commit` in `run.h`", test}), "tp::raw::commit is not declared in the headers that are named");
  EXPECT_EQ(first_wrong({"x", "`tp::Plan::launches` in `run.h`", test}), "");
  EXPECT_EQ(first_wrong({"x", "`tp::Plan::slot_` in `run.h`", test}), "tp::Plan::slot_ is not declared in the headers that are named");
  EXPECT_EQ(first_wrong({"x", "`tp::huber_loss` in `ops.h`", test}), "tp::huber_loss is not used by the seeds' stories");
  EXPECT_EQ(first_wrong({"x", "`tp::commit` in `running.h`", test}), "no header running.h");
  EXPECT_EQ(first_wrong({"x", "`src/device/command_buffer.cpp`", test}), "no file src/device/command_buffer.cpp");
  EXPECT_EQ(first_wrong({"x", "[it](nowhere.md#goals)", test}), "no file docs/nowhere.md");
  EXPECT_EQ(first_wrong({"x", "so", "tests/memory: `Batches.ViewsLaunchNothing`"}), "no test Batches.ViewsLaunchNothing in tests/memory");
  EXPECT_EQ(first_wrong({"x", "so", "tests/device: `Batches.ViewsLaunch`"}), "no test Batches.ViewsLaunch in tests/device");
  EXPECT_EQ(first_wrong({"x", "so", "gate `matmul 1023`"}), "no gate matmul 1023");
  EXPECT_EQ(first_wrong({"x", "so", test + ", case `matmull`"}), "no case matmull");
  EXPECT_EQ(first_wrong({"x", "so", "everybody knows"}), "neither a test nor a gate shows it");
  EXPECT_EQ(first_wrong({"x", "so", "—"}), "nothing shows it, and it is not said to be missing");
  EXPECT_EQ(first_wrong({"x", "Not here", "—"}), "");
  EXPECT_EQ(first_wrong({"x", "so"}), "a row has three cells");
}

// What the seeds name, so that no row goes unnoticed.
TEST(SeedsMap, EveryNameOfTheSeedsHasARow) {
  const std::vector<Row> all = rows();
  EXPECT_GT(all.size(), 100U);
  for (const char* name : {"matmul",
                           "add",
                           "mul",
                           "transpose",
                           "linear_fwd",
                           "linear_bwd",
                           "relu",
                           "sigmoid",
                           "tanh",
                           "activation_bwd",
                           "conv2d_direct_fwd",
                           "MaxPooling",
                           "add_bias",
                           "copy_inplace",
                           "mse_grad",
                           "adam_step",
                           "commit_batch",
                           "sync",
                           "cleanup",
                           "enable_gpu",
                           "increment_command_count",
                           "commands_in_buffer",
                           "mat_transpose",
                           "MatMulParams",
                           "LinearParams",
                           "int_buffer_pool",
                           "float_buffer_pool",
                           "max_commands_per_buffer",
                           "max_pool_size",
                           "MPSMatrixMultiplication",
                           "MPSMatrixSum",
                           "GPUCompute.getInstance",
                           "transferToGPU",
                           "transferFromGPU",
                           "computeBatch",
                           "processBatch",
                           "processChunk",
                           "processDataset",
                           "dispose",
                           "isDisposed",
                           "tf.tidy",
                           "resetDevice",
                           "initializeBuffers",
                           "simulateDeviceFailure",
                           "CHUNK_SIZE",
                           "DeviceManager.getInstance",
                           "selectDevice",
                           "preferGPU",
                           "minMemory",
                           "maxLoad",
                           "getActiveDevice",
                           "WEBGL_CPU_FORWARD",
                           "WEBGL_PACK",
                           "PerformanceMonitor.getInstance",
                           "getMemoryUsage",
                           "numTensors",
                           "numBytes",
                           "unreliable",
                           "trackOperation",
                           "getGPUUtilization",
                           "logMetrics",
                           "getDetailedMetrics",
                           "PerformanceMetrics",
                           "memoryUsage",
                           "computeTime",
                           "transferTime",
                           "gpuUtilization",
                           "getComputeMetrics",
                           "getTransferMetrics",
                           "PerformanceLogger",
                           "getAverages",
                           "calculateMemoryAverages",
                           "calculateTimeAverage",
                           "calculateUtilizationAverage",
                           "TensorPool",
                           "reuseOrCreateTensor",
                           "releaseTensor",
                           "runBenchmark",
                           "TARGET_COMPUTE_TIME",
                           "MEMORY_LIMIT",
                           "MAX_GPU_USAGE"})
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Row& row) { return !row.empty() && row[0].find(name) != std::string::npos; })) << name;
  for (const char* number : {"100 commands",   "50 idle",
                             "such as 50",     "22 size",
                             "64 B to 128 MB", "O(log n)",
                             "10 times",       "3–10",
                             "30 %",           "1.4 times",
                             "32 × 32",        "2 ms",
                             "3 ms",           "6 ms",
                             "2.5 times",      "2.7 times",
                             "80 MB",          "200 MB",
                             "45 functions",   "10 MB",
                             "less than 1 s",  "10 batches of 1 MB in less than 2 s",
                             "concurrent",     "below 10 %",
                             "below 80 %",     "1,000 metrics",
                             "10.13"})
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Row& row) { return !row.empty() && row[0].find(number) != std::string::npos; }))
        << number;
}

}  // namespace
}  // namespace tidepool::repo
