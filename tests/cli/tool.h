// Running the tidepool command as a user does.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/child.h"
#include "support/files.h"

namespace tidepool::inline v0 {

struct Outcome {
  int status;  // of exit; -signal where a signal ended it
  std::string out, err;
};

class ToolTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  // In the test's folder; with `interrupt_at`, Ctrl-C as soon as that was printed; `under` another command, such as env.
  Outcome run(const std::string& arguments, const std::string& interrupt_at = "", const std::string& under = "") const {
    const std::string command = "cd '" + folder_.name() + "' && exec " + under + " '" TIDEPOOL_TOOL "' " + arguments + " >'" + path("out") +
                                "' 2>'" + path("err") + "' </dev/null";
    std::filesystem::remove(path("out"));
    const pid_t child = started(fork());
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    bool over = false;
    if (!interrupt_at.empty()) {
      for (int i = 0; i < 20'000 && !over && contents(path("out")).find(interrupt_at) == std::string::npos; ++i) {
        usleep(5000);
        over = waitpid(child, &status, WNOHANG) == child;
      }
      if (!over) kill(child, SIGINT);
    }
    if (!over) waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contents(path("out")), contents(path("err"))};
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace tidepool::inline v0
