// tidepool watch, against a server that says what a run's does.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <tidepool/error.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/stream_server.h"
#include "cli/tool.h"
#include "monitor/full_record.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;

const std::string stream_head = "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

std::string message(const char* event, const std::string& json) { return std::string("event: ") + event + "\ndata: " + json + "\n\n"; }

// A record, and so many updates after it, each of one sample more.
void send_run(const Connection& client, int updates, bool finished, std::chrono::milliseconds pause = 1ms) {
  monitor::RunRecord run = monitor::full_record();
  if (!client.send(stream_head + message("run", to_json(run)))) return;
  for (int i = 1; i <= updates; ++i) {
    std::this_thread::sleep_for(pause);
    run.time = 12.3 + i;
    run.samples.push_back(monitor::full_sample(run.time));
    run.training->step = 77 + i;
    run.training->finished = finished && i == updates;
    if (!client.send(": still here\n" + message("update", update_json(run, run.time - 0.5, false)))) return;
  }
}

class WatchCommand : public ToolTest {
 protected:
  // In a terminal of its own; with `interrupt_at`, Ctrl-C as soon as that was shown.
  Outcome run_in_terminal(const std::string& arguments, const std::string& interrupt_at = "") {
    winsize size{.ws_row = 30, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const std::string command = "exec '" TIDEPOOL_TOOL "' " + arguments + " 2>'" + path("err") + "'";
    const pid_t child = started(forkpty(&terminal, nullptr, nullptr, &size));
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    Outcome outcome{};
    bool interrupted = interrupt_at.empty();
    for (pollfd entry{terminal, POLLIN, 0}; poll(&entry, 1, 20'000) > 0;) {
      char piece[4096];
      const ssize_t got = read(terminal, piece, sizeof piece);
      if (got <= 0) break;
      outcome.out.append(piece, static_cast<std::size_t>(got));
      if (interrupted || outcome.out.find(interrupt_at) == std::string::npos) continue;
      interrupted = write(terminal, "\x03", 1) == 1;
    }
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.err = contents(path("err"));
    return outcome;
  }
};

TEST_F(WatchCommand, PrintsAPlainLineWhereThereIsNoTerminal) {
  // Apart: of what comes at once, only the last is told.
  const StreamServer server([](Connection& client) { send_run(client, 3, true, 300ms); });
  const Outcome o = run("watch " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out.find('\x1b'), std::string::npos);
  EXPECT_TRUE(o.out.starts_with("0:12  training  epoch 3/10  step 77  loss nan")) << o.out;
  EXPECT_NE(o.out.find("\n0:15  finished  epoch 3/10  step 80  loss 0.1"), std::string::npos) << o.out;
  EXPECT_TRUE(o.out.ends_with("Training had finished when the server went away.\n")) << o.out;
  EXPECT_TRUE(server.last_request().starts_with("GET /events HTTP/1.0\r\n")) << server.last_request();
}

TEST_F(WatchCommand, PrintsALineEverySecondAndNoMore) {
  const StreamServer server([](Connection& client) { send_run(client, 24, true, 100ms); });
  const Outcome o = run("watch " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  const auto lines = std::count(o.out.begin(), o.out.end(), '\n');
  EXPECT_GE(lines, 4) << o.out;
  EXPECT_LE(lines, 8) << o.out;  // a busy machine may take longer for its 2.4 seconds
}

TEST_F(WatchCommand, AServerThatGoesAwayBeforeTheEndIsAFailure) {
  const StreamServer server([](Connection& client) { send_run(client, 2, false); });
  const Outcome o = run("watch " + server.url());
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err,
            "tidepool: watch: the server went away at step 79, before training had finished; what the run itself printed says why\n");
}

TEST_F(WatchCommand, JsonIsWhatTheServerSent) {
  const StreamServer server([](Connection& client) { send_run(client, 2, true); });
  const Outcome o = run("watch --json " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  std::istringstream lines(o.out);
  std::string first, second, third, fourth;
  std::getline(lines, first);
  std::getline(lines, second);
  std::getline(lines, third);
  EXPECT_FALSE(std::getline(lines, fourth)) << fourth;
  EXPECT_EQ(first, to_json(monitor::full_record()));
  EXPECT_EQ(nlohmann::json::parse(second)["samples"].size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(third)["training"]["finished"], true);
}

TEST_F(WatchCommand, OnceIsOneMessageOfAServerThatGoesOn) {
  const StreamServer server([](Connection& client) {
    send_run(client, 0, false);
    client.wait_for_end();
  });
  Outcome o = run("watch --once " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out,
            "0:12  training  epoch 3/10  step 77  loss nan  accuracy 93.8 %  step time 12.5 ms  memory 1000 B of 8 KiB  anomalies 2\n");
  o = run("watch --once --json " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, to_json(monitor::full_record()) + '\n');
}

TEST_F(WatchCommand, TheTokenOfTheAddressIsKept) {
  const StreamServer server([](Connection& client) {
    if (client.request().starts_with("GET /events?token=a%2Bb HTTP/1.0\r\n"))
      send_run(client, 0, false);
    else
      client.send("HTTP/1.0 401 Unauthorized\r\nContent-Type: text/plain\r\n\r\nno");
  });
  EXPECT_EQ(run("watch --once '" + server.url("/?token=a%2Bb#top") + "'").status, 0);
  const Outcome o = run("watch --once " + server.url());
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err,
            "tidepool: watch: 127.0.0.1:" + server.port() + " wants a token; use the address as the run printed it, with ?token=…\n");
}

TEST_F(WatchCommand, WhatIsNoRunsServerIsSaidInOneLine) {
  const std::string advice = "; use the address that a run with --dashboard printed, while it runs\n";
  std::string port;
  {
    const StreamServer server([](Connection& client) { client.send("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"); });
    port = server.port();
    const Outcome o = run("watch " + server.url());
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "tidepool: watch: 127.0.0.1:" + port + " is no tidepool server (status 200)" + advice);
  }
  Outcome o = run("watch http://127.0.0.1:" + port);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err, "tidepool: watch: 127.0.0.1:" + port + ": connection refused" + advice);
  const StreamServer silent([](Connection& client) { client.send(stream_head); });
  EXPECT_EQ(run("watch " + silent.url()).err, "tidepool: watch: the server went away without a word\n");
  const StreamServer other([](Connection& client) { client.send(stream_head + message("run", "{\"format\":\"other\"}")); });
  o = run("watch " + other.url());
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(
      o.err,
      "tidepool: watch: the server sent what is no record of a run: run: format: got \"other\", wanted \"tidepool run 1\"; are both of "
      "the same version?\n");
}

TEST_F(WatchCommand, AddressesThatCannotBeMeantAreWrongUsage) {
  for (const char* url : {"https://127.0.0.1/", "ftp://x", "'http://a b'", "http://x:99999", "''", ""}) {
    const Outcome o = run(std::string("watch ") + url);
    EXPECT_EQ(o.status, 2) << url;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_TRUE(o.err.ends_with("see `tidepool watch --help`\n")) << o.err;
  }
}

TEST_F(WatchCommand, ATerminalHasAScreenOfItsOwnUntilTheServerIsGone) {
  unsetenv("NO_COLOR");
  const StreamServer server([](Connection& client) { send_run(client, 3, true, 50ms); });
  const Outcome o = run_in_terminal("watch " + server.url());
  EXPECT_EQ(o.status, 0) << o.err;
  const std::size_t enter = o.out.find("\x1b[?1049h"), leave = o.out.find("\x1b[?1049l");
  ASSERT_NE(enter, std::string::npos);
  ASSERT_NE(leave, std::string::npos);
  EXPECT_LT(enter, leave);
  EXPECT_NE(o.out.find("\x1b[?25h", enter), std::string::npos) << "the cursor is back";
  EXPECT_NE(o.out.find("\x1b[?7h", enter), std::string::npos) << "and lines are wrapped again";
  EXPECT_NE(o.out.substr(enter, leave).find("\x1b[31mnan\x1b[0m"), std::string::npos) << "in colours";
  const std::string stays = o.out.substr(leave);
  EXPECT_NE(stays.find("finished, server gone"), std::string::npos) << stays;
  EXPECT_NE(stays.find("matmul_tiles"), std::string::npos) << stays;
  EXPECT_LE(std::count(stays.begin(), stays.end(), '\n'), 29) << "and it fits with the prompt";
}

TEST_F(WatchCommand, CtrlCLeavesTheTerminalAsItWas) {
  const StreamServer server([](Connection& client) {
    send_run(client, 1, false);
    client.wait_for_end();
  });
  Outcome o = run_in_terminal("watch " + server.url(), "matmul_tiles");
  EXPECT_EQ(o.status, 130) << o.err;
  EXPECT_NE(o.out.find("\x1b[?25h\x1b[?1049l"), std::string::npos);
  EXPECT_EQ(o.out.substr(o.out.rfind("\x1b[?1049l")), "\x1b[?1049l") << "nothing more is said";
  o = run("watch --json " + server.url(), "\"step\":78");
  EXPECT_EQ(o.status, 130);
  EXPECT_EQ(o.err, "");
}

TEST_F(WatchCommand, NoColorIsRespected) {
  setenv("NO_COLOR", "1", 1);
  const StreamServer server([](Connection& client) { send_run(client, 1, true); });
  const Outcome o = run_in_terminal("watch " + server.url());
  unsetenv("NO_COLOR");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("\x1b[31m"), std::string::npos);
  EXPECT_NE(o.out.find("▓ parameters 200 B"), std::string::npos) << "signs tell the tags apart";
}

TEST_F(WatchCommand, ABadMessageLeavesTheTerminalAsItWas) {
  const StreamServer server([](Connection& client) {
    send_run(client, 1, false);
    client.send(message("update", "{\"samples\":7"));
    client.wait_for_end();
  });
  const Outcome o = run_in_terminal("watch " + server.url());
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(o.out.ends_with("\x1b[?1049l")) << "the screen of before";
  EXPECT_TRUE(o.err.starts_with("tidepool: watch: the server sent what is no record of a run: ")) << o.err;
}

}  // namespace
}  // namespace tidepool::inline v0
