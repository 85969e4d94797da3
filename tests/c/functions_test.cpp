// Every function of the C interface: its good way, and what it says of a wrong one.
#include <gtest/gtest.h>

#include "c/bench.h"
#include "c/text.h"
#include "support/devices.h"

#include <dlfcn.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

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

// NULL stands for the defaults of C++; the macros say the same.
TEST(CInterface, HasTheDefaultsOfCpp) {
  const tp_adam_options adam = TP_ADAM_DEFAULTS;
  const AdamOptions adam_in_cpp;
  EXPECT_EQ(std::tie(adam.lr, adam.beta1, adam.beta2, adam.eps, adam.weight_decay, adam.step),
            std::tie(adam_in_cpp.lr, adam_in_cpp.beta1, adam_in_cpp.beta2, adam_in_cpp.eps, adam_in_cpp.weight_decay, adam_in_cpp.step));
  const tp_sgd_options sgd = TP_SGD_DEFAULTS;
  const SgdOptions sgd_in_cpp;
  EXPECT_EQ(std::tie(sgd.lr, sgd.momentum, sgd.weight_decay), std::tie(sgd_in_cpp.lr, sgd_in_cpp.momentum, sgd_in_cpp.weight_decay));
  EXPECT_EQ(sgd.nesterov != 0, sgd_in_cpp.nesterov);
  const tp_pool_options pool = TP_POOL_DEFAULTS;
  const PoolOptions pool_in_cpp;
  EXPECT_EQ(std::tie(pool.kernel, pool.stride, pool.padding), std::tie(pool_in_cpp.kernel, pool_in_cpp.stride, pool_in_cpp.padding));
  const tp_im2col_options im2col = TP_IM2COL_DEFAULTS;
  const Im2colOptions im2col_in_cpp;
  EXPECT_EQ(std::tie(im2col.kernel, im2col.stride, im2col.padding, im2col.dilation),
            std::tie(im2col_in_cpp.kernel, im2col_in_cpp.stride, im2col_in_cpp.padding, im2col_in_cpp.dilation));
  const tp_conv2d_options conv2d = TP_CONV2D_DEFAULTS;
  const Conv2dOptions conv2d_in_cpp;
  EXPECT_EQ(std::tie(conv2d.stride, conv2d.padding, conv2d.dilation, conv2d.groups),
            std::tie(conv2d_in_cpp.stride, conv2d_in_cpp.padding, conv2d_in_cpp.dilation, conv2d_in_cpp.groups));
  EXPECT_EQ(conv2d.activation, static_cast<int>(conv2d_in_cpp.activation));
  const tp_batch_norm_options batch_norm = TP_BATCH_NORM_DEFAULTS;
  const BatchNormOptions batch_norm_in_cpp;
  EXPECT_EQ(std::tie(batch_norm.momentum, batch_norm.eps), std::tie(batch_norm_in_cpp.momentum, batch_norm_in_cpp.eps));
  EXPECT_EQ(batch_norm.training != 0, batch_norm_in_cpp.training);
  const tp_select_options select = TP_SELECT_DEFAULTS;
  const SelectOptions select_in_cpp;
  EXPECT_EQ(std::tie(select.min_memory, select.max_load), std::tie(select_in_cpp.min_memory, select_in_cpp.max_load));
  EXPECT_EQ(std::tuple(select.prefer_gpu != 0, select.required != 0, select.allow_software != 0),
            std::tuple(select_in_cpp.prefer_gpu, select_in_cpp.required, select_in_cpp.allow_software));
}

TEST(CText, IsCutBetweenCharacters) {
  char five[6] = "?????";
  c::put("abcdefg", five);
  EXPECT_STREQ(five, "abcde");
  c::put("abcd\u00e9", five);  // of two bytes
  EXPECT_STREQ(five, "abcd");
  c::put("abc\u00e9", five);
  EXPECT_STREQ(five, "abc\u00e9");
  c::put("", five);
  EXPECT_STREQ(five, "");
}

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
