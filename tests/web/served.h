// A server over a run that the test makes up.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "monitor/web/server.h"
#include "web/client.h"

namespace tidepool::inline v0 {

class MadeUpRun : public monitor::web::RunSource {
 public:
  MadeUpRun() {
    run_.version = "0.1.0";
    run_.started = "2026-11-17T02:30:00Z";
    run_.running = true;
    run_.device = {"cpu", "made up", "cpu", "none", 1 << 30};
  }

  void change(const std::function<void(monitor::RunRecord&)>& how) {
    const std::lock_guard lock(mutex_);
    how(run_);
  }
  // As the monitor does it: a sample, ten for each second.
  void add_sample() {
    change([](monitor::RunRecord& run) {
      run.time += 0.1;
      monitor::Sample sample;
      sample.time = run.time;
      sample.device = "cpu";
      sample.by_tag.resize(6);
      sample.steps = static_cast<std::int64_t>(run.samples.size()) + 1;
      sample.loss = 1 / run.time;
      run.samples.push_back(sample);
    });
  }
  monitor::RunRecord record(bool with_pool) override {
    ++records;
    const std::lock_guard lock(mutex_);
    monitor::RunRecord run = run_;
    if (with_pool) run.pool = monitor::PoolMap{"cpu", run.time, {{4096, {{0, 4096, 0, "matmul"}}}}, 0};
    return run;
  }
  std::string metrics() override { return "tidepool_up 1\n"; }
  std::string trace() override {
    ++traces;
    return trace_text;
  }
  std::string csv() override { return "time,loss\n0.1,10\n"; }
  std::string lines() override { return "{\"format\":\"tidepool run 1\"}\n"; }
  std::string report() override { return "<!doctype html><title>Report</title>"; }

  std::atomic<int> records{0}, traces{0};
  std::string trace_text = "{\"traceEvents\":[]}";

 private:
  std::mutex mutex_;
  monitor::RunRecord run_;
};

struct Serving {
  explicit Serving(monitor::DashboardOptions options = {}, monitor::web::Limits limits = {})
      : server(std::make_unique<monitor::web::Server>(options, run, limits)) {
    const std::string url = server->url();
    port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.find(':', 6) + 1));
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
  // `more` are further headers, each with its line's end.
  std::string request(const std::string& path, const std::string& more = "", const std::string& method = "GET") const {
    return method + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n";
  }
  Answer ask(const std::string& path, const std::string& more = "", const std::string& method = "GET") const {
    return say(request(path, more, method), method != "HEAD");
  }
  Answer say(const std::string& text, bool with_body = true) const {
    Client client(port);
    client.send(text);
    return client.answer(with_body);
  }
  Listener listen(int receive_bytes = 0, const std::string& path = "/events") const {
    Client client(port, receive_bytes);
    client.send(request(path));
    EXPECT_EQ(client.answer(false).status, 200);
    return Listener(std::move(client));
  }

  MadeUpRun run;
  std::unique_ptr<monitor::web::Server> server;
  std::uint16_t port = 0;
};

}  // namespace tidepool::inline v0
