#include <cstdio>
#include <exception>
#include <iostream>

#include "cli/cli.h"

int main(int argc, char** argv) {
  using namespace tidepool;
  try {
    cli::Parser parser;
    cli::add_commands(parser);
    if (const int status = parser.run(argc, argv); status != cli::done) return status;
  } catch (const std::exception& error) {
    std::cerr << "tidepool: " << error.what() << '\n';
    return cli::failed;
  }
  // A full disk or a closed pipe shows only now.
  if (!std::cout.flush() || std::ferror(stdout) != 0) {
    std::cerr << "tidepool: cannot write to standard output; is the disk full, or its reader gone?\n";
    return cli::failed;
  }
  return cli::done;
}
