// Every path, and what it is served with.
#include <gtest/gtest.h>

#include <tidepool/error.h>

#include <nlohmann/json.hpp>

#include "web/served.h"

namespace tidepool::inline v0 {
namespace {

using monitor::web::Limits;

TEST(WebPaths, ThePageIsOneDocumentWithEverythingInside) {
  const Serving serving;
  const Answer page = serving.ask("/");
  ASSERT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_NE(page.body.find("Chart.js v3"), std::string::npos);
  for (const char* mark : {"{nonce}", "/*{style}*/", "/*{chart}*/", "/*{app}*/", ">{data}<", "src=\"http", "href=\"http"})
    EXPECT_EQ(page.body.find(mark), std::string::npos) << mark;
}

TEST(WebPaths, TheRecordIsServedAsJson) {
  Serving serving;
  serving.run.add_sample();
  const Answer run = serving.ask("/run.json");
  ASSERT_EQ(run.status, 200);
  EXPECT_EQ(run.headers.at("content-type"), "application/json");
  const auto json = nlohmann::json::parse(run.body);
  EXPECT_EQ(json["format"], "tidepool run 1");
  EXPECT_EQ(json["samples"].size(), 1U);
  EXPECT_EQ(json["pool"]["device"], "cpu");
}

TEST(WebPaths, TheOtherWaysOutHaveTheirTypesAndNames) {
  const Serving serving;
  struct Way {
    const char *path, *body, *type, *file;
  };
  for (const Way& way :
       {Way{"/metrics", "tidepool_up 1\n", "text/plain; version=0.0.4; charset=utf-8", ""},
        Way{"/trace.json", "{\"traceEvents\":[]}", "application/json", "attachment; filename=\"tidepool-trace.json\""},
        Way{"/samples.csv", "time,loss\n0.1,10\n", "text/csv; charset=utf-8", "attachment; filename=\"tidepool-samples.csv\""},
        Way{"/run.jsonl", "{\"format\":\"tidepool run 1\"}\n", "application/jsonl", "attachment; filename=\"tidepool-run.jsonl\""},
        Way{"/report.html", "<!doctype html><title>Report</title>", "text/html; charset=utf-8", ""}}) {
    Answer answer = serving.ask(way.path);
    EXPECT_EQ(answer.status, 200) << way.path;
    EXPECT_EQ(answer.body, way.body);
    EXPECT_EQ(answer.headers["content-type"], way.type);
    EXPECT_EQ(answer.headers["content-disposition"], way.file);
  }
}

TEST(WebPaths, TheExportHoldsTheRunAndNothingThatEndsItsScript) {
  Serving serving;
  serving.run.change([](monitor::RunRecord& run) { run.device.name = "</script><script>alert(1)</script>"; });
  Answer page = serving.ask("/export");
  ASSERT_EQ(page.status, 200);
  EXPECT_EQ(page.headers["content-disposition"], "attachment; filename=\"tidepool-run.html\"");
  const std::size_t opens = page.body.find("id=\"run-data\""), from = page.body.find('>', opens) + 1,
                    to = page.body.find("</script>", from);
  const auto json = nlohmann::json::parse(page.body.substr(from, to - from));
  EXPECT_EQ(json["device"]["name"], "</script><script>alert(1)</script>");
  EXPECT_EQ(page.body.find("alert(1)</script>"), std::string::npos);
}

TEST(WebPaths, HeadHasTheHeadersWithoutTheBody) {
  const Serving serving;
  Client client(serving.port);
  client.send(serving.request("/metrics", "", "HEAD"));
  Answer head = client.answer(false);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers["content-length"], "14");
  EXPECT_FALSE(client.read_bytes(1));
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(serving.ask("/events", "", "HEAD").status, 200);
}

TEST(WebPaths, EveryAnswerTellsTheBrowserToKeepItToItself) {
  const Serving serving;
  for (const char* path : {"/", "/run.json", "/metrics", "/export", "/trace.json", "/samples.csv", "/run.jsonl", "/report.html", "/none"}) {
    Answer answer = serving.ask(path);
    EXPECT_EQ(answer.headers["x-content-type-options"], "nosniff") << path;
    EXPECT_EQ(answer.headers["referrer-policy"], "no-referrer") << path;
    EXPECT_EQ(answer.headers["cache-control"], "no-store") << path;
    EXPECT_EQ(answer.headers["cross-origin-resource-policy"], "same-origin") << path;
    const std::string policy = answer.headers["content-security-policy"];
    for (const char* part : {"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"})
      EXPECT_NE(policy.find(part), std::string::npos) << path << ": " << policy;
    EXPECT_EQ(policy.find("script-src 'unsafe"), std::string::npos);
  }
}

TEST(WebPaths, ScriptsRunByANonceThatIsNewEveryTime) {
  const Serving serving;
  std::string before;
  for (int i = 0; i < 3; ++i) {
    Answer page = serving.ask("/");
    const std::string policy = page.headers["content-security-policy"];
    const std::size_t at = policy.find("script-src 'nonce-");
    ASSERT_NE(at, std::string::npos) << policy;
    const std::string nonce = policy.substr(at + 18, 32);
    EXPECT_NE(policy.find("style-src 'nonce-" + nonce + "'"), std::string::npos);
    EXPECT_NE(page.body.find("<script nonce=\"" + nonce + "\">"), std::string::npos);
    EXPECT_NE(page.body.find("<style nonce=\"" + nonce + "\">"), std::string::npos);
    EXPECT_NE(nonce, before);
    before = nonce;
  }
}

TEST(WebPaths, ManyWhoAskAtOnceGetOneDocument) {
  Limits limits;
  limits.period = 30;
  const Serving serving({}, limits);
  std::string first;
  for (int i = 0; i < 50; ++i) {
    const Answer answer = serving.ask("/run.json");
    ASSERT_EQ(answer.status, 200);
    if (i == 0) first = answer.body;
    EXPECT_EQ(answer.body, first);
  }
  EXPECT_EQ(serving.run.records, 1);
}

TEST(WebPaths, ASourceThatFailsIsAnErrorOfTheServerWhichGoesOn) {
  struct Failing : MadeUpRun {
    std::string report() override { throw IoError("report", "no paper"); }
  } run;
  const monitor::web::Server server({}, run, {});
  const std::string url = server.url();
  const auto port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.find(':', 6) + 1));
  for (int i = 0; i < 2; ++i) {
    Client client(port);
    client.send("GET /report.html HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n\r\n");
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body, "report: no paper\n");
  }
}

}  // namespace
}  // namespace tidepool::inline v0
