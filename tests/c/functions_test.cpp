// Every function of the C interface: its good way, and what it says of a wrong one.
#include <gtest/gtest.h>

#include "c/bench.h"
#include "support/devices.h"

#include <dlfcn.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

extern "C" int uses_c_alone(void);

namespace tidepool::c_tests {
namespace {

const Cases& all_cases() {
  static const Cases cases = [] {
    Cases all;
    add_library_cases(all);
    add_device_cases(all);
    add_tensor_cases(all);
    add_transfer_cases(all);
    add_run_cases(all);
    add_raw_cases(all);
    add_elementwise_cases(all);
    add_operation_cases(all);
    return all;
  }();
  return cases;
}

// Those that the header declares.
std::set<std::string> declared_functions() {
  std::ifstream file(std::string(TIDEPOOL_SOURCE_DIR) + "/include/tidepool/c.h");
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  const std::regex declaration("\nTP_API [a-z_ ]+\\*? ?(tp_[a-z0-9_]+)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator match(header.begin(), header.end(), declaration), end; match != end; ++match) names.insert((*match)[1]);
  return names;
}

TEST(CInterface, HasACaseForEveryFunctionThatTheHeaderDeclares) {
  std::set<std::string> tested;
  for (const Case& entry : all_cases()) EXPECT_TRUE(tested.insert(entry.function).second) << entry.function << " is there twice";
  EXPECT_EQ(tested, declared_functions());
  EXPECT_GT(tested.size(), 130U);
}

#ifdef TIDEPOOL_SHARED_LIBRARY
TEST(CInterface, IsExportedByTheSharedLibrary) {
  void* const library = dlopen(TIDEPOOL_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const std::string& name : declared_functions()) EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
  EXPECT_EQ(dlsym(library, "tp_no_such_function"), nullptr);
  dlclose(library);
}
#endif

class CFunctions : public LibraryTest, public testing::WithParamInterface<std::tuple<std::size_t, const char*>> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE(std::get<1>(GetParam()));
    LibraryTest::SetUp();
    set_default_device(device(std::get<1>(GetParam())));
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }
};

TEST_P(CFunctions, WorksAndTellsItsErrorsAndLeavesNothing) {
  const auto [index, id] = GetParam();
  const Case& entry = all_cases()[index];
  manual_seed(1);  // the seed's block is there from now on
  rand({1});
  const MemoryStats before = memory(device(id));
  {
    Bench bench(entry.function);
    entry.run(bench);
  }
  const MemoryStats after = memory(device(id));
  EXPECT_EQ(after.tensors, before.tensors);
  if (entry.function != "tp_reset" && entry.function != "tp_cleanup" && entry.function != "tp_reset_peak") {  // which close it
    EXPECT_EQ(after.live_bytes, before.live_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CFunctions, testing::Combine(testing::Range(std::size_t{0}, all_cases().size()), devices_that_compute()),
                         [](const testing::TestParamInfo<std::tuple<std::size_t, const char*>>& info) {
                           const std::string id = std::get<1>(info.param);
                           return all_cases()[std::get<0>(info.param)].function + "_on_" + id.substr(0, id.find(':'));
                         });

class CInterfaceInC : public LibraryTest {};
TEST_F(CInterfaceInC, IsAllThatAProgramInCNeeds) { EXPECT_EQ(uses_c_alone(), 0) << "at that line of only_c.c: " << tp_last_error(); }

}  // namespace
}  // namespace tidepool::c_tests
