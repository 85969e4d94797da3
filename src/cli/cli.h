// The tidepool command. Each command is one file that adds itself to the parser; main.cpp turns errors into one line on
// standard error and an exit status.
#pragma once

#include <string>

#include "cli/command.h"

namespace tidepool::cli {

void add_commands(Parser& parser);  // all of them
void add_devices(Parser& parser);
void add_doctor(Parser& parser);
void add_bench(Parser& parser);
void add_train(Parser& parser);
void add_eval(Parser& parser);
void add_watch(Parser& parser);
void add_report(Parser& parser);
void add_trajectories(Parser& parser);

// --device D, for commands that compute.
void add_device_option(Command& command, std::string& device);
// Makes it the default device: an id that `tidepool devices` lists, or "gpu" for the best there is. Empty changes nothing.
void use_device(const std::string& device);

}  // namespace tidepool::cli
