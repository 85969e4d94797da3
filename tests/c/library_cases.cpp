// The library itself: versions, errors, log, faults.
#include "c/bench.h"

#include <tidepool/log.h>
#include <tidepool/version.h>

namespace tidepool::c_tests {

namespace {

void check_interface(Bench& b) {
  b.expect_ok(tp_check_interface(TP_INTERFACE_MAJOR, TP_INTERFACE_MINOR));
  b.expect_ok(tp_check_interface(TP_INTERFACE_MAJOR, 0));
  const std::string here = std::to_string(TP_INTERFACE_MAJOR) + "." + std::to_string(TP_INTERFACE_MINOR);
  b.expect_error(tp_check_interface(TP_INTERFACE_MAJOR + 1, 0), TP_VERSION_ERROR,
                 {"compiled against interface " + std::to_string(TP_INTERFACE_MAJOR + 1) + ".0", " has " + here, "tidepool/c.h"});
  b.expect_error(tp_check_interface(TP_INTERFACE_MAJOR, TP_INTERFACE_MINOR + 1), TP_VERSION_ERROR, {"has " + here});
  b.expect_error(tp_check_interface(TP_INTERFACE_MAJOR - 1, TP_INTERFACE_MINOR), TP_VERSION_ERROR, {"has " + here});
  b.expect_error(tp_check_interface(TP_INTERFACE_MAJOR, -1), TP_VERSION_ERROR, {"has " + here});
}

void interface_numbers(Bench& b) {
  int major = -1, minor = -1;
  b.sweep(tp_interface, &major, &minor);
  EXPECT_EQ(major, TP_INTERFACE_MAJOR);
  EXPECT_EQ(minor, TP_INTERFACE_MINOR);
}

void last_error(Bench& b) {
  tp_tensor* out = nullptr;
  EXPECT_EQ(tp_relu(nullptr, &out), TP_ARGUMENT_ERROR);
  const std::string message = "tp_relu: a is NULL; wanted a tensor";
  EXPECT_EQ(tp_last_error(), message);
  b.expect_ok(tp_sync());
  EXPECT_EQ(tp_last_error(), message) << "it stays until another call fails";
}

void set_log_level(Bench& b) {
  int before = -1;
  b.expect_ok(tp_log_level(&before));
  b.expect_ok(tp_set_log_level(TP_LOG_ERROR));
  for (const int wrong : {-1, 5})
    b.expect_error(tp_set_log_level(wrong), TP_ARGUMENT_ERROR, {"the level is " + std::to_string(wrong), "TP_LOG_OFF (4)"});
  EXPECT_EQ(log_level(), LogLevel::error) << "an error changes nothing";
  b.expect_ok(tp_set_log_level(before));
}

void set_logger(Bench& b) {
  std::string told;
  b.expect_ok(tp_set_logger(
      [](int level, const char* message, void* user) { *static_cast<std::string*>(user) += std::to_string(level) + " " + message; },
      &told));
  tp_device* device = nullptr;
  const tp_select_options none = {1, 0, 0, SIZE_MAX, 1.0, nullptr};
  b.expect_ok(tp_select(&none, &device));  // warns of the CPU
  b.expect_ok(tp_device_free(device));
  EXPECT_EQ(told.substr(0, 2), "2 ");
  EXPECT_NE(told.find("fell back to the CPU"), std::string::npos) << told;
  b.expect_ok(tp_set_logger(nullptr, nullptr));
}

void set_faults(Bench& b) {
  tp_tensor* out = nullptr;
  const std::int64_t shape[] = {3};
  b.expect_ok(tp_set_faults("host_out_of_memory@alloc:1"));
  b.expect_error(tp_zeros(shape, 1, TP_F32, nullptr, &out), TP_OUT_OF_MEMORY, {"the host has no memory left"});
  EXPECT_EQ(out, nullptr);
  b.expect_error(tp_set_faults("nonsense"), TP_ARGUMENT_ERROR, {"nonsense"});
  b.expect_error(tp_set_faults(nullptr), TP_ARGUMENT_ERROR, {"tp_set_faults: text is NULL"});
  b.expect_ok(tp_set_faults(""));
  b.expect_ok(tp_zeros(shape, 1, TP_F32, nullptr, &out));
  b.own(out);
}

}  // namespace

void add_library_cases(Cases& all) {
  all.push_back({"tp_check_interface", check_interface});
  all.push_back({"tp_interface", interface_numbers});
  all.push_back({"tp_version", [](Bench&) { EXPECT_STREQ(tp_version(), TIDEPOOL_VERSION); }});
  all.push_back({"tp_last_error", last_error});
  all.push_back({"tp_status_name", [](Bench&) {
                   EXPECT_STREQ(tp_status_name(TP_OK), "TP_OK");
                   EXPECT_STREQ(tp_status_name(TP_DEVICE_LOST), "TP_DEVICE_LOST");
                   EXPECT_STREQ(tp_status_name(TP_INTERNAL_ERROR), "TP_INTERNAL_ERROR");
                   EXPECT_STREQ(tp_status_name(-1), "unknown");
                   EXPECT_STREQ(tp_status_name(TP_INTERNAL_ERROR + 1), "unknown");
                 }});
  all.push_back({"tp_log_level", [](Bench& b) {
                   int now = -1;
                   b.sweep(tp_log_level, &now);
                   EXPECT_EQ(now, static_cast<int>(log_level()));
                 }});
  all.push_back({"tp_set_log_level", set_log_level});
  all.push_back({"tp_set_logger", set_logger});
  all.push_back({"tp_set_faults", set_faults});
}

}  // namespace tidepool::c_tests
