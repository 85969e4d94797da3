// Devices and their memory.
#include "c/bench.h"

#include <algorithm>
#include <string_view>

namespace tidepool::c_tests {

namespace {

std::string default_id() {
  const char* id = nullptr;
  Bench::expect_ok(tp_device_id(nullptr, &id));
  return id;
}

void list(Bench& b) {
  std::int64_t count = 0;
  b.optional({0});
  b.sweep(tp_devices, nullptr, 0, &count);
  ASSERT_GE(count, 1);
  std::vector<tp_device_info> infos(static_cast<std::size_t>(count) + 1);
  b.expect_ok(tp_devices(infos.data(), 1, &count));
  EXPECT_STREQ(infos[1].id, "") << "only the first was asked for";
  b.expect_ok(tp_devices(infos.data(), count + 1, &count));
  const auto cpu = std::ranges::find_if(infos, [](const tp_device_info& info) { return std::string_view(info.id) == "cpu"; });
  ASSERT_NE(cpu, infos.end());
  EXPECT_STREQ(cpu->kind, "cpu");
  EXPECT_GT(std::string_view(cpu->name).size(), 0U);
  EXPECT_GT(cpu->memory_total, cpu->memory_free);
  EXPECT_GE(cpu->load, -1.0);
  b.expect_error(tp_devices(nullptr, 1, &count), TP_ARGUMENT_ERROR, {"tp_devices: infos is NULL"});
  b.expect_error(tp_devices(infos.data(), -1, &count), TP_ARGUMENT_ERROR, {"room is -1; wanted 0 or more"});
}

void open(Bench& b) {
  tp_device* device = nullptr;
  b.sweep(tp_device_open, "cpu", &device);
  const char* id = nullptr;
  b.expect_ok(tp_device_id(device, &id));
  EXPECT_STREQ(id, "cpu");
  b.expect_ok(tp_device_free(device));
  b.expect_error(tp_device_open("abacus", &device), TP_DEVICE_ERROR, {"abacus"});
}

void choose(Bench& b) {
  tp_device* device = nullptr;
  tp_select_options options = TP_SELECT_DEFAULTS;
  EXPECT_EQ(options.max_load, 1.0);
  options.name = "cpu";
  b.sweep(tp_select, &options, &device);
  EXPECT_EQ(default_id(), "cpu");
  b.expect_ok(tp_device_free(device));
  options.name = "no such device";
  options.required = 1;
  b.expect_error(tp_select(&options, &device), TP_DEVICE_ERROR, {"no device fits", "no such device"});
  options.max_load = 2;
  b.expect_error(tp_select(&options, &device), TP_ARGUMENT_ERROR, {"max_load is 2"});
}

void set_default(Bench& b) {
  tp_device *before = nullptr, *cpu = nullptr;
  b.expect_ok(tp_default_device(&before));
  const std::string was = default_id();
  b.expect_ok(tp_device_open("cpu", &cpu));
  b.sweep(tp_set_default_device, cpu);
  EXPECT_EQ(default_id(), "cpu");
  b.expect_ok(tp_set_default_device(before));
  EXPECT_EQ(default_id(), was);
  b.expect_ok(tp_device_free(before));
  b.expect_ok(tp_device_free(cpu));
}

void id(Bench& b) {
  tp_device* device = nullptr;
  const char* text = nullptr;
  b.expect_ok(tp_default_device(&device));
  b.sweep(tp_device_id, device, &text);
  EXPECT_EQ(text, default_id());
  b.expect_ok(tp_device_free(device));
  EXPECT_EQ(text, default_id()) << "the text outlives the handle";
}

void free_device(Bench& b) {
  tp_device* device = nullptr;
  b.expect_ok(tp_default_device(&device));
  b.expect_ok(tp_device_free(device));
  b.expect_ok(tp_device_free(nullptr));
  b.expect_error(tp_device_free(device), TP_RELEASED_ERROR, {"tp_device_free: the handle is a device that was freed already"});
}

void reset(Bench& b) {
  tp_tensor *old = b.f32({1, 2}, {2}), *out = nullptr;
  tp_device* device = nullptr;
  b.expect_ok(tp_default_device(&device));
  b.sweep(tp_reset, device);
  b.expect_ok(tp_device_free(device));
  b.expect_error(tp_relu(old, &out), TP_DEVICE_LOST, {"relu"});
  tp_tensor* const fresh = b.f32({1, -2}, {2});
  b.expect_ok(tp_relu(fresh, &out));
  b.expect_values(b.own(out), {1, 0});
}

void configure(Bench& b) {
  tp_settings before, wanted = TP_SETTINGS_UNCHANGED, now;
  b.expect_ok(tp_get_settings(&before));
  wanted.max_commands = before.max_commands + 7;
  wanted.memory_limit = std::size_t{1} << 30;
  b.sweep(tp_configure, &wanted);
  b.expect_ok(tp_get_settings(&now));
  EXPECT_EQ(now.max_commands, before.max_commands + 7);
  EXPECT_EQ(now.memory_limit, std::size_t{1} << 30);
  EXPECT_EQ(now.max_cached_per_class, before.max_cached_per_class);
  EXPECT_EQ(now.cache_limit, before.cache_limit);
  EXPECT_EQ(now.wait_limit, before.wait_limit);
  EXPECT_EQ(now.max_load, before.max_load);
  wanted.max_commands = 0;
  b.expect_error(tp_configure(&wanted), TP_ARGUMENT_ERROR, {"max_commands is 0; wanted 1 or more"});
  b.expect_ok(tp_configure(&before));
}

void memory(Bench& b) {
  tp_memory_stats before, during;
  b.sweep(tp_memory, nullptr, &before);
  tp_tensor* const held = b.zeros({1000});
  b.expect_ok(tp_memory(nullptr, &during));
  EXPECT_EQ(during.tensors, before.tensors + 1);
  EXPECT_GE(during.live_bytes, before.live_bytes + 4000);
  EXPECT_EQ(during.reserved_bytes, during.live_bytes + during.cached_bytes);
  EXPECT_EQ(during.limit, 0U);
  b.expect_ok(tp_tensor_free(held));
  b.expect_ok(tp_memory(nullptr, &during));
  EXPECT_EQ(during.tensors, before.tensors);
  EXPECT_EQ(during.live_bytes, before.live_bytes);
}

void reset_peak(Bench& b) {
  tp_memory_stats stats;
  b.expect_ok(tp_tensor_free(b.zeros({1 << 20})));
  b.expect_ok(tp_memory(nullptr, &stats));
  EXPECT_GE(stats.peak_bytes, std::size_t{4} << 20);
  b.expect_ok(tp_cleanup());
  b.expect_ok(tp_reset_peak());
  b.expect_ok(tp_memory(nullptr, &stats));
  EXPECT_LT(stats.peak_bytes, std::size_t{4} << 20);
}

}  // namespace

void add_device_cases(Cases& all) {
  all.push_back({"tp_devices", list});
  all.push_back({"tp_device_open", open});
  all.push_back({"tp_select", choose});
  all.push_back({"tp_default_device", [](Bench& b) {
                   tp_device* device = nullptr;
                   b.sweep(tp_default_device, &device);
                   b.expect_ok(tp_device_free(device));
                 }});
  all.push_back({"tp_set_default_device", set_default});
  all.push_back({"tp_device_id", id});
  all.push_back({"tp_device_free", free_device});
  all.push_back({"tp_reset", reset});
  all.push_back({"tp_configure", configure});
  all.push_back({"tp_get_settings", [](Bench& b) {
                   tp_settings settings;
                   b.sweep(tp_get_settings, &settings);
                   EXPECT_EQ(settings.max_commands, 100);
                   EXPECT_EQ(settings.cache_limit, std::size_t{512} << 20);
                 }});
  all.push_back({"tp_memory", memory});
  all.push_back({"tp_reset_peak", reset_peak});
}

}  // namespace tidepool::c_tests
