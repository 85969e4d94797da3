// The page as users have it: over this process's own monitor, while it trains.
#include <tidepool/dashboard.h>
#include <tidepool/monitor.h>
#include <tidepool/tidepool.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/errors.h"
#include "web/client.h"

namespace tidepool::inline v0 {
namespace {

namespace tp = tidepool;
using nlohmann::json;

std::uint16_t port_of(const std::string& url) { return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.find(':', 6) + 1)); }

std::string request(const std::string& url, const std::string& path) {
  const std::size_t host = url.find("//") + 2;
  return "GET " + path + " HTTP/1.1\r\nHost: " + url.substr(host, url.find('/', host) - host) + "\r\n\r\n";
}

Answer get(const std::string& url, const std::string& path) {
  Client client(port_of(url));
  client.send(request(url, path));
  return client.answer();
}

void train(std::int64_t epochs) {
  const Tensor x = tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), y = tp::tensor({0, 1, 1, 0}, {4, 1});
  tp::nn::Sequential net{tp::nn::Linear(2, 8), tp::nn::Tanh(), tp::nn::Linear(8, 1), tp::nn::Sigmoid()};
  tp::optim::Adam opt(net.parameters(), {.lr = 0.05});
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = epochs, .batch = 4, .shuffle = false});
  trainer.fit(tp::data::from_tensors(x, y));
}

class WebDashboard : public testing::Test {
 protected:
  ~WebDashboard() override { tp::monitor::disable(); }
};

TEST_F(WebDashboard, EnablesTheMonitorAndServesItsRun) {
  ASSERT_FALSE(tp::monitor::enabled());
  const tp::monitor::Dashboard dash({.host = "127.0.0.1", .port = 0});
  EXPECT_TRUE(tp::monitor::enabled());
  EXPECT_EQ(dash.url(), "http://127.0.0.1:" + std::to_string(port_of(dash.url())) + "/");
  train(50);
  ASSERT_TRUE(wait_until([] { return tp::monitor::log().size() > 1; }));
  const json run = json::parse(get(dash.url(), "/run.json").body);
  EXPECT_EQ(run["format"], "tidepool run 1");
  EXPECT_EQ(run["training"]["epochs"], 50);
  EXPECT_TRUE(run["training"]["finished"]);
  EXPECT_FALSE(run["kernels"].empty());
  EXPECT_GT(run["samples"].size(), 0U);
  EXPECT_GT(dash.cpu_seconds(), 0);
}

TEST_F(WebDashboard, AnswersOnEveryPath) {
  const tp::monitor::Dashboard dash;
  train(5);
  ASSERT_TRUE(wait_until([] { return tp::monitor::log().size() > 1; }));
  EXPECT_HAS(get(dash.url(), "/").body, "<!doctype html>");
  EXPECT_HAS(get(dash.url(), "/metrics").body, "# TYPE tidepool_");
  EXPECT_HAS(get(dash.url(), "/export").body, "\"format\":\"tidepool run 1\"");
  EXPECT_TRUE(json::parse(get(dash.url(), "/trace.json").body)["traceEvents"].is_array());
  EXPECT_TRUE(get(dash.url(), "/samples.csv").body.starts_with("time,"));
  EXPECT_HAS(get(dash.url(), "/run.jsonl").body, "{\"type\":\"run\"");
  EXPECT_HAS(get(dash.url(), "/report.html").body, "<html");
}

TEST_F(WebDashboard, TellsListenersOfStepsWhileTheyAreMade) {
  const tp::monitor::Dashboard dash;
  Client client(port_of(dash.url()));
  client.send(request(dash.url(), "/events"));
  ASSERT_EQ(client.answer(false).status, 200);
  Listener listener(std::move(client));
  ASSERT_EQ(listener.next().value().kind, "run");
  std::thread training([] { train(3000); });
  double last = -1;
  std::int64_t steps = 0;
  bool finished = false;
  for (const double end = seconds_now() + patience; !finished && seconds_now() < end;) {
    const auto event = listener.next();
    ASSERT_TRUE(event);
    const json update = json::parse(event->data);
    for (const json& sample : update["samples"]) {
      EXPECT_GT(sample["time"], last) << "told twice, or out of order";
      last = sample["time"];
      steps = sample["steps"];
    }
    finished = !update["training"].is_null() && update["training"]["finished"] && steps == 3000;
  }
  training.join();
  EXPECT_TRUE(finished) << steps << " steps";
}

TEST_F(WebDashboard, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_HAS(message_of<ArgumentError>([] { const tp::monitor::Dashboard dash({.host = "somewhere"}); }),
             "Dashboard: 'somewhere' is no address");
  EXPECT_HAS(message_of<ArgumentError>([] { const tp::monitor::Dashboard dash({.host = "0.0.0.0"}); }), "give a token");
  const tp::monitor::Dashboard first({.token = "0123456789abcdef"});
  EXPECT_HAS(first.url(), "/?token=0123456789abcdef");
  EXPECT_HAS(message_of<IoError>([&] { const tp::monitor::Dashboard second({.port = port_of(first.url())}); }),
             "is in use: choose another port");
}

}  // namespace
}  // namespace tidepool::inline v0
