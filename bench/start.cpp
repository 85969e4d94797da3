// How long a process takes from its start to the first result on the CPU, and how much memory it holds by then. The program
// starts itself again, many times; each of those adds two numbers, writes the sum to a pipe and ends.
#include <tidepool/tidepool.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tp = tidepool;

namespace {

constexpr int runs = 51;
constexpr const char* child_argument = "--once";

int once() {
  const float result = (tp::tensor({1}, {1}) + tp::tensor({2}, {1})).item();
  return write(STDOUT_FILENO, &result, sizeof result) == sizeof result ? 0 : 1;
}

struct Run {
  double milliseconds;
  long kilobytes;
};

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

Run start_once() {
  int ends[2];
  if (pipe(ends) != 0) give_up("pipe");
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = vfork();
  if (child < 0) give_up("vfork");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl("/proc/self/exe", "tidepool_start", child_argument, static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  float result = 0;
  const ssize_t got = read(ends[0], &result, sizeof result);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  close(ends[0]);
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (got != sizeof result || result != 3.0F || status != 0) {
    std::fprintf(stderr, "tidepool_start: a started process gave no result\n");
    std::exit(1);
  }
  return {time.count(), usage.ru_maxrss};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], child_argument) == 0) return once();
  std::vector<double> times;
  long kilobytes = 0;
  for (int i = 0; i < runs; ++i) {
    const Run run = start_once();
    times.push_back(run.milliseconds);
    kilobytes = std::max(kilobytes, run.kilobytes);
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "process start to first CPU result: median %.2f ms, least %.2f ms (goal: 10 ms); resident at most %.1f MB (goal: 25 MB); %d runs\n",
      times[times.size() / 2], times.front(), static_cast<double>(kilobytes) * 1024 / 1e6, runs);
}
