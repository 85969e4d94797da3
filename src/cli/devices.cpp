// tidepool devices: what this machine has.
#include <tidepool/device.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/cli.h"
#include "device/list.h"
#include "device/loads.h"
#include "platform/bytes.h"

namespace tidepool::cli {

namespace {

using Row = std::array<std::string, 11>;

std::string load_text(const DeviceInfo& info) {
  const std::string load = info.load ? std::to_string(std::lround(*info.load * 100)) + " %" : "unknown";
  return info.load_source.empty() ? load : load + " (" + info.load_source + ")";
}

bool is_limited(const BackendInfo& info) { return info.max_binding_bytes != SIZE_MAX; }

void print_table(const std::vector<DeviceInfo>& all, const std::vector<BackendInfo>& backends, const std::string& chosen) {
  std::vector<Row> rows = {{"", "id", "name", "kind", "driver", "memory", "free", "load", "largest tensor", "alignment", "lanes"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DeviceInfo& d = all[i];
    const BackendInfo& b = backends[i];
    rows.push_back({d.id == chosen ? "*" : "", d.id, d.name, d.kind, d.driver, readable_bytes(d.memory_total),
                    readable_bytes(d.memory_free), load_text(d), is_limited(b) ? readable_bytes(b.max_binding_bytes) : "any",
                    std::to_string(b.offset_alignment), b.lanes ? std::to_string(b.lanes) : "-"});
  }
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - row[i].size() + (i ? 2 : 1), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
  std::cout << "* is the default; TIDEPOOL_DEVICE or --device chooses another.\n";
}

void print_json(const std::vector<DeviceInfo>& all, const std::vector<BackendInfo>& backends, const std::string& chosen) {
  nlohmann::ordered_json document = {{"default", chosen}, {"devices", nlohmann::json::array()}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DeviceInfo& d = all[i];
    const BackendInfo& b = backends[i];
    nlohmann::ordered_json device = {{"id", d.id},
                                     {"name", d.name},
                                     {"kind", d.kind},
                                     {"driver", d.driver},
                                     {"memory_total", d.memory_total},
                                     {"memory_free", d.memory_free},
                                     {"load", nullptr},
                                     {"load_source", d.load_source},
                                     {"max_binding_bytes", nullptr},
                                     {"offset_alignment", b.offset_alignment},
                                     {"lanes", b.lanes},
                                     {"default", d.id == chosen}};
    if (d.load) device["load"] = *d.load;
    if (is_limited(b)) device["max_binding_bytes"] = b.max_binding_bytes;
    document["devices"].push_back(std::move(device));
  }
  // A driver may call itself anything; what is not UTF-8 is replaced.
  std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace

void add_devices(Parser& parser) {
  Command command = parser.command("devices", "List the devices of this machine");
  const auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "One JSON document; sizes in bytes, load from 0 to 1 or null when nobody knows it");
  command.runs([json] {
    settle_loads();
    const std::vector<DeviceInfo> all = devices();
    std::vector<BackendInfo> backends;
    for (const ListedDevice& listed : list_devices()) backends.push_back(listed.info);
    (*json ? print_json : print_table)(all, backends, default_device().id());
    return done;
  });
}

}  // namespace tidepool::cli
