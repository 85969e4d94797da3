// Addresses, and pages over HTTP.
#include "platform/http_get.h"

#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <chrono>
#include <string>

#include "cli/stream_server.h"

namespace tidepool::inline v0 {
namespace {

using namespace std::chrono_literals;

std::string refusal(const std::string& url) {
  try {
    http_address(url);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

std::string failure(const std::string& url) {
  try {
    HttpGet(http_address(url), 2s);
  } catch (const IoError& error) {
    return error.what();
  }
  return "accepted";
}

std::string body(HttpGet& page) {
  std::string all;
  page.read(
      [&](std::string_view piece) {
        all += piece;
        return true;
      },
      100ms);
  return all;
}

TEST(HttpAddress, IsTakenApart) {
  const HttpAddress a = http_address("http://machine:8080/a/b?token=x%2f&y#there");
  EXPECT_EQ(a.host, "machine");
  EXPECT_EQ(a.port, "8080");
  EXPECT_EQ(a.path, "/a/b");
  EXPECT_EQ(a.query, "?token=x%2f&y");
  EXPECT_EQ(a.server(), "machine:8080");
  EXPECT_EQ(a.beside("events").path, "/a/events");
  EXPECT_EQ(a.beside("events").query, a.query);
  EXPECT_EQ(http_address("HTTP://machine").port, "80");
  EXPECT_EQ(http_address("machine").path, "/");
  EXPECT_EQ(http_address("machine?token=1").query, "?token=1");
  EXPECT_EQ(http_address("localhost:8080").host, "localhost");
  EXPECT_EQ(http_address("http://[::1]:8080/").host, "::1");
  EXPECT_EQ(http_address("http://[::1]:8080/").server(), "[::1]:8080");
  EXPECT_EQ(http_address("[::1]").port, "80");
}

TEST(HttpAddress, WhatIsNoneIsRefusedWithAnExample) {
  for (const char* url : {"", "http://", "http://:80/", "ftp://x/", "http://x:0/", "http://x:65536/", "http://x:80a/", "http://x:/",
                          "http://a b/", "http://x/\r\nHost: y", "http://u@x/", "http://[::1/", "http://[::1]x:80/", "http://a]/"})
    EXPECT_NE(refusal(url).find("wanted one such as http://127.0.0.1:8080/"), std::string::npos) << url << ": " << refusal(url);
  EXPECT_NE(refusal("https://x/").find("https"), std::string::npos);
  EXPECT_EQ(refusal("http://x/\r\nHost: y").find('\n'), std::string::npos);
  EXPECT_LT(refusal(std::string(10000, ' ')).size(), 300U);
}

TEST(HttpGet, AsksForThePathWithItsQueryAndReadsToTheEnd) {
  const StreamServer server([](Connection& client) {
    client.send("HTTP/1.1 200 OK\r\ncontent-TYPE:  Text/Plain ; charset=utf-8\r\nX: y\r\n\r\nhello ");
    std::this_thread::sleep_for(20ms);
    client.send("there");
  });
  HttpGet page(http_address(server.url("/run.json?token=a%20b")));
  EXPECT_EQ(page.status(), 200);
  EXPECT_EQ(page.content_type(), "text/plain");
  EXPECT_EQ(body(page), "hello there");
  EXPECT_TRUE(server.last_request().starts_with("GET /run.json?token=a%20b HTTP/1.0\r\nHost: 127.0.0.1:" + server.port() + "\r\n"))
      << server.last_request();
}

TEST(HttpGet, AHeadInManyPiecesIsOne) {
  const StreamServer server([](Connection& client) {
    for (const char c : std::string("HTTP/1.0 404 Not Found\r\nContent-Type: a\r\n\r\nbody")) {
      client.send(std::string(1, c));
      std::this_thread::sleep_for(1ms);
    }
  });
  HttpGet page(http_address(server.url()));
  EXPECT_EQ(page.status(), 404);
  EXPECT_EQ(body(page), "body");
}

TEST(HttpGet, ALengthThatIsSaidIsKept) {
  const StreamServer server([](Connection& client) {
    client.send("HTTP/1.0 200 OK\nContent-Length: 4\n\nbody and more");
    client.wait_for_end();
  });
  HttpGet page(http_address(server.url()));
  EXPECT_EQ(body(page), "body") << "although the connection stays open";
}

TEST(HttpGet, ComesBackWhileNothingIsSent) {
  const StreamServer server([](Connection& client) {
    client.send("HTTP/1.0 200 OK\r\n\r\n");
    client.wait_for_end();
  });
  HttpGet page(http_address(server.url()));
  int empty = 0;
  page.read(
      [&](std::string_view piece) {
        EXPECT_EQ(piece, "");
        return ++empty < 4;
      },
      5ms);
  EXPECT_EQ(empty, 4);
}

TEST(HttpGet, WhatDoesNotAnswerAsItShouldIsAnErrorThatNamesTheServer) {
  const auto said = [](const std::string& answer) {
    const StreamServer server([&](Connection& client) { client.send(answer); });
    const std::string message = failure(server.url("/?token=secret"));
    EXPECT_NE(message.find("127.0.0.1:" + server.port() + ": "), std::string::npos) << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
    return message.substr(message.find(server.port()) + server.port().size() + 2);
  };
  EXPECT_EQ(said(""), "ended before it answered");
  EXPECT_EQ(said("HTTP/1.0 200 OK\r\nX: y\r\n"), "ended before it answered");
  EXPECT_EQ(said("SSH-2.0-OpenSSH\r\n\r\n"), "does not speak HTTP");
  EXPECT_EQ(said("HTTP/1.0 abc\r\n\r\n"), "does not speak HTTP");
  EXPECT_EQ(said("HTTP/1.0 20\r\n\r\n"), "does not speak HTTP");
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "answers in chunks, which HTTP/1.0 has not");
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "does not know the length of its page");
  EXPECT_EQ(said("HTTP/1.0 200 OK\r\nX: " + std::string(20000, 'x') + "\r\n\r\n"), "sends more than 16384 bytes before its page");
  EXPECT_EQ(said(std::string(100000, 'x')), "sends more than 16384 bytes before its page");
}

TEST(HttpGet, AServerThatSaysNothingIsGivenUp) {
  const StreamServer server([](Connection& client) { client.wait_for_end(); });
  const auto start = std::chrono::steady_clock::now();
  try {
    HttpGet(http_address(server.url()), 100ms);
    ADD_FAILURE() << "it said nothing";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("does not answer"), std::string::npos) << error.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST(HttpGet, NobodyThereAndNoSuchHostAreErrors) {
  std::string url;
  {
    const StreamServer server([](Connection&) {});
    url = server.url();
  }
  EXPECT_NE(failure(url).find("connection refused"), std::string::npos) << failure(url);
  EXPECT_NE(failure("http://nothing.invalid/").find("no such host"), std::string::npos) << failure("http://nothing.invalid/");
}

}  // namespace
}  // namespace tidepool::inline v0
