// Hostile requests, byte by byte as a client would send them.
#include <tidepool/error.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/errors.h"
#include "web/served.h"

namespace tidepool::inline v0 {
namespace {

using monitor::web::Limits;
using monitor::web::Server;

constexpr const char* token = "0123456789abcdef";

TEST(WebDefence, AForgedHostIsRefused) {
  const Serving serving;
  const std::string port = std::to_string(serving.port);
  EXPECT_EQ(serving.say("GET /run.json HTTP/1.1\r\nHost: evil.example:" + port + "\r\n\r\n").status, 421);
  EXPECT_EQ(serving.say("GET /run.json HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n").status, 421);
  EXPECT_EQ(serving.say("GET /run.json HTTP/1.0\r\n\r\n").status, 421);
  EXPECT_EQ(serving.say("GET /run.json HTTP/1.1\r\nHost: localhost:" + port + "\r\nHost: evil.example\r\n\r\n").status, 421);
  EXPECT_EQ(serving.say("GET /run.json HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n").status, 200);
  EXPECT_EQ(serving.run.records, 1) << "nothing was made for those who were refused";
}

TEST(WebDefence, AForeignOriginIsRefused) {
  const Serving serving;
  EXPECT_EQ(serving.ask("/run.json", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(serving.ask("/events", "Origin: null\r\n").status, 403);
  EXPECT_EQ(serving.ask("/run.json", "Origin: http://" + serving.host() + "\r\n").status, 200);
}

TEST(WebDefence, RequestsFromOtherSitesAreRefused) {
  const Serving serving;
  EXPECT_EQ(serving.ask("/", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(serving.ask("/", "Sec-Fetch-Site: same-site\r\n").status, 403);
  EXPECT_EQ(serving.ask("/", "Sec-Fetch-Site: same-origin\r\n").status, 200);
}

TEST(WebDefence, WhatWouldWriteIsRefusedAndToldWhatIsAllowed) {
  const Serving serving;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    Answer answer = serving.ask("/run.json", "Content-Length: 0\r\n", method);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers["allow"], "GET, HEAD");
  }
  EXPECT_EQ(serving.ask("/", "Content-Length: 100000000000\r\n", "POST").status, 405) << "and its body is not waited for";
}

TEST(WebDefence, ABodyHidesNoSecondRequest) {
  const Serving serving;
  Client client(serving.port);
  const std::string hidden = serving.request("/metrics");
  client.send(serving.request("/run.json", "Content-Length: " + std::to_string(hidden.size()) + "\r\n") + hidden);
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_FALSE(client.read_bytes(1)) << "the hidden request was answered";
}

TEST(WebDefence, PathsThatLeadElsewhereLeadNowhere) {
  const Serving serving;
  for (const char* path : {"/../run.json", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2frun.json", "//run.json",
                           "/run.json/..", "/%72un.json", "/run.json%00.html", "/.git/config", "/\\..\\run.json"})
    EXPECT_EQ(serving.ask(path).status, 404) << path;
  EXPECT_EQ(serving.ask("http://" + serving.host() + "/run.json").status, 404);
  EXPECT_EQ(serving.run.records, 0);
}

TEST(WebDefence, HeadersThatAreTooLongAreRefused) {
  const Serving serving;
  EXPECT_EQ(serving.ask("/metrics", "X-Long: " + std::string(4000, 'x') + "\r\n").status, 200);
  EXPECT_EQ(serving.ask("/metrics", "X-Long: " + std::string(20'000, 'x') + "\r\n").status, 431);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(serving.ask("/metrics", many).status, 431);
  const int status = serving.ask("/" + std::string(20'000, 'x')).status;
  EXPECT_TRUE(status == 414 || status == 431) << status;
  EXPECT_EQ(serving.ask("/metrics").status, 200);
}

TEST(WebDefence, ATokenIsWantedWhereOneIsSet) {
  const Serving serving({.token = token});
  EXPECT_EQ(serving.server->url(), "http://" + serving.host() + "/?token=" + token);
  for (const char* path :
       {"/", "/run.json", "/events", "/metrics", "/export", "/trace.json", "/samples.csv", "/run.jsonl", "/report.html", "/none"}) {
    Answer answer = serving.ask(path);
    EXPECT_EQ(answer.status, 401) << path;
    EXPECT_EQ(answer.headers["www-authenticate"], "Bearer");
    EXPECT_EQ(serving.ask(std::string(path) + "?token=0123456789abcdeX").status, 401) << path;
  }
  EXPECT_EQ(serving.ask("/run.json?token=" + std::string(token).substr(0, 15)).status, 401);
  EXPECT_EQ(serving.ask("/run.json?token=" + std::string(token)).status, 200);
  EXPECT_EQ(serving.ask("/run.json", "Authorization: Bearer " + std::string(token) + "\r\n").status, 200);
  EXPECT_EQ(serving.ask("/run.json", "Authorization: Bearer 0123456789abcdeX\r\n").status, 401);
}

TEST(WebDefence, OtherAddressesAreNotServedWithoutAToken) {
  MadeUpRun run;
  for (const char* host : {"0.0.0.0", "::", "10.0.0.5"})
    EXPECT_HAS(message_of<ArgumentError>([&] { const Server server({.host = host}, run, {}); }), "give a token of at least 16 characters");
  EXPECT_HAS(message_of<ArgumentError>([&] { const Server server({.host = "0.0.0.0", .token = "short"}, run, {}); }), "5 characters");
}

TEST(WebDefence, WhereAllAddressesAreServedTheOneThatWasConnectedToIsAName) {
  const Serving serving({.host = "0.0.0.0", .token = token});
  EXPECT_EQ(serving.server->url(), "http://" + serving.host() + "/?token=" + token);
  const std::string path = "/metrics?token=" + std::string(token);
  EXPECT_EQ(serving.ask(path).status, 200);
  EXPECT_EQ(serving.say("GET " + path + " HTTP/1.1\r\nHost: evil.example:" + std::to_string(serving.port) + "\r\n\r\n").status, 421);
}

TEST(WebDefence, APortInUseSaysSoAndWhatToDo) {
  const Serving serving;
  MadeUpRun run;
  EXPECT_HAS(message_of<IoError>([&] { const Server server({.port = serving.port}, run, {}); }),
             serving.host() + " is in use: choose another port, or 0 for one that is free");
}

TEST(WebDefence, AnAddressOfAnotherMachineSaysSoAndWhatToDo) {
  MadeUpRun run;
  EXPECT_HAS(message_of<IoError>([&] { const Server server({.host = "192.0.2.1", .token = token}, run, {}); }),
             "192.0.2.1 is no address of this machine: use 127.0.0.1");
}

TEST(WebDefence, APortIsFreeAgainAtOnce) {
  std::int64_t port = 0;
  {
    const Serving serving;
    EXPECT_EQ(serving.ask("/metrics").status, 200);
    port = serving.port;
  }
  const Serving again({.port = port});
  EXPECT_EQ(again.ask("/metrics").status, 200);
}

TEST(WebDefence, OneWhoNeverFinishesAskingIsCutOff) {
  Limits limits;
  limits.request_seconds = 0.3;
  const Serving serving({}, limits);
  Client silent(serving.port), dripping(serving.port);
  dripping.send("GET / HTTP/1.1\r\nX-Drip: ");
  // A byte now and then keeps the daemon's own clock from running out.
  EXPECT_TRUE(wait_until([&] { return !dripping.send("x") || dripping.sees_end(0.01); }, 5));
  EXPECT_TRUE(silent.sees_end(5));
}

TEST(WebDefence, OneWhoNeverReadsIsCutOff) {
  Limits limits;
  limits.stuck_seconds = 1;
  Serving serving({}, limits);
  constexpr std::size_t bytes = 16 << 20;  // more than the system keeps between us
  serving.run.trace_text = std::string(bytes, 'x');
  Client client(serving.port, 4096);
  client.send(serving.request("/trace.json"));
  ASSERT_EQ(client.answer(false).status, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(3000));  // it is our silence that is tested
  EXPECT_FALSE(client.read_bytes(bytes));
  EXPECT_TRUE(client.ended());
}

TEST(WebDefence, WhatNobodyReadsDoesNotPileUp) {
  Limits limits;
  limits.period = 0;
  limits.held_bytes = 4 << 20;
  Serving serving({}, limits);
  serving.run.trace_text = std::string(5 << 20, 'x');
  Client slow(serving.port, 4096);
  slow.send(serving.request("/trace.json"));
  ASSERT_EQ(slow.answer(false).status, 200);
  ASSERT_EQ(serving.run.traces, 1);
  EXPECT_TRUE(wait_until([&] { return serving.ask("/metrics").status == 503; })) << "another document would be one too many";
  EXPECT_EQ(serving.run.traces, 1);
  EXPECT_EQ(serving.ask("/").status, 200) << "the page is no document: it costs nothing";
  slow.close_now();
  EXPECT_TRUE(wait_until([&] { return serving.ask("/metrics").status == 200; }));
}

}  // namespace
}  // namespace tidepool::inline v0
