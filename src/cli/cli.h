// The tidepool command. Each command is one file that adds itself to the parser; main.cpp turns errors into one line on
// standard error and an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tidepool::cli {

// Exit statuses.
enum { done = 0, failed = 1, wrong_usage = 2, interrupted = 130 };

void add_devices(CLI::App& app);
void add_bench(CLI::App& app);
void add_train(CLI::App& app);
void add_eval(CLI::App& app);

// --device D, for commands that compute.
void add_device_option(CLI::App& command, std::string& device);
// Makes it the default device: an id that `tidepool devices` lists, or "gpu" for the best there is. Empty changes nothing.
void use_device(const std::string& device);

}  // namespace tidepool::cli
