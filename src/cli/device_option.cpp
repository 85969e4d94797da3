#include <tidepool/device.h>

#include "cli/cli.h"

namespace tidepool::cli {

void add_device_option(Command& command, std::string& device) {
  command.text("--device", device, "The device to use: an id that `tidepool devices` lists, or gpu for the best one, even a software one",
               {.type = "D"});
}

void use_device(const std::string& device) {
  if (device == "gpu")
    select({.prefer_gpu = true, .required = true, .allow_software = true});
  else if (!device.empty())
    set_default_device(tidepool::device(device));
}

}  // namespace tidepool::cli
