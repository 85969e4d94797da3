#include "platform/child_process.h"

#include <tidepool/error.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (std::ranges::none_of(variables, [&](const auto& v) { return text.starts_with(v.first + "="); })) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(cat(name, "=", value));
  return all;
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// In a file without a name, which takes as much as there is.
File file_of(std::string_view input) {
  const bool none = input.empty();
  File file(none ? std::fopen("/dev/null", "re") : std::tmpfile());
  if (!file || (!none && (std::fwrite(input.data(), 1, input.size(), file.get()) != input.size() || std::fflush(file.get()) != 0)))
    throw IoError("run", cat("no file for a program's input could be made: ", std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

pid_t start(const std::string& program, const std::vector<std::string>& arguments, std::vector<std::string> environment, int input,
            int output) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw IoError("run", cat(program, ": cannot be started: ", std::strerror(error)));
  return child;
}

// False when the time was over before the other end was closed.
bool read_all(int from, std::string& into, Clock::time_point until) {
  std::array<char, 4096> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    into.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

ChildResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::vector<std::pair<std::string, std::string>>& variables, std::chrono::milliseconds time,
                        std::string_view input) {
  const File from = file_of(input);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw IoError("run", cat("no pipe could be made: ", std::strerror(errno)));
  pid_t child = -1;
  try {
    child = start(program, arguments, environment_with(variables), fileno(from.get()), ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  ChildResult result;
  result.timed_out = !read_all(ends[0], result.output, Clock::now() + time);
  close(ends[0]);
  if (result.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace tidepool::inline v0
