#include <tidepool/version.h>

#include <exception>
#include <iostream>

#include "cli/cli.h"

namespace {

using namespace tidepool;

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version
    app.exit(help);
  } catch (const CLI::RuntimeError& status) {  // a command's own, with its message already out
    return status.get_exit_code();
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const auto rest = app.remaining();
    const std::string what = chosen.empty() && !rest.empty() ? "there is no command '" + rest[0] + "'" : error.what();
    std::cerr << "tidepool: " << what << "; see `tidepool " << (chosen.empty() ? "" : chosen[0]->get_name() + " ") << "--help`\n";
    return cli::wrong_usage;
  }
  // A full disk or a closed pipe shows only now.
  if (!std::cout.flush()) {
    std::cerr << "tidepool: cannot write to standard output; is the disk full?\n";
    return cli::failed;
  }
  return cli::done;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tensors and training inside C++ programs, on any Vulkan GPU or the CPU.", "tidepool");
  app.set_version_flag("--version", std::string("tidepool ") + version(), "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  cli::add_devices(app);
  cli::add_train(app);
  cli::add_eval(app);
  cli::add_bench(app);
  try {
    return run(app, argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tidepool: " << error.what() << '\n';
    return cli::failed;
  }
}
