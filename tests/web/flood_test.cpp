// Clients by the thousand that want no good: the page answers during and after, and the program hardly notices.
#include <gtest/gtest.h>

#include <fstream>
#include <list>

#include "monitor/web/budget.h"
#include "support/sanitizers.h"
#include "web/served.h"

namespace tidepool::inline v0 {
namespace {

using monitor::web::Budget;

constexpr bool keeps_what_is_freed = address_sanitizer;  // to see who uses it

double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024;
  return 0;
}

// What a stretch of serving took. The first of each kind is a warm-up: afterwards the same memory is used again.
class Stretch {
 public:
  explicit Stretch(const Serving& serving) : serving_(serving), start_(seconds_now()), cpu_(serving.server->cpu_seconds()) {}
  void expect_little() const {
    const double wall = seconds_now() - start_, cpu = serving_.server->cpu_seconds() - cpu_;
    testing::Test::RecordProperty("milliseconds", static_cast<int>(cpu * 1000));
    EXPECT_LE(cpu, 0.05 * wall) << cpu << " s of processor time in " << wall << " s";
  }

 private:
  const Serving& serving_;
  double start_, cpu_;
};

std::string garbage(unsigned number) {
  switch (number % 5) {
    case 0:
      return std::string(300, static_cast<char>(number % 256));
    case 1:
      return "\x16\x03\x01\x02" + std::string(200, '\xff') + "\r\n\r\n";  // as if it were TLS
    case 2:
      return "GET / HTTP/9.9\r\n\r\n";
    case 3:
      return "GET " + std::string(3000, 'a') + "\r\n\r\n";
    default:
      return "\r\n\r\n\r\n: :\r\nPOST\r\n\r\n" + std::string(100, '\0');
  }
}

// With somebody who listens throughout, as during a run.
class WebFlood : public testing::Test {
 protected:
  WebFlood() : listener(serving.listen()) { EXPECT_EQ(listener.next().value().kind, "run"); }
  void expect_that_all_goes_on() {
    EXPECT_TRUE(listener.next());
    EXPECT_EQ(serving.ask("/").status, 200);
    EXPECT_EQ(serving.ask("/run.json").status, 200);
  }
  void expect_the_page(const char* what, int count) { EXPECT_EQ(serving.ask("/").status, 200) << "with " << count << " " << what; }
  // What remains of a second per hundred clients: these come while a program trains, not instead of it.
  static void pace(double start, int count) {
    const double due = start + 0.004 * count;
    while (seconds_now() < due) usleep(1000);
  }
  void half_open(int count) {
    std::list<Client> clients;
    const double start = seconds_now();
    for (int i = 0; i < count; ++i) {
      Client& client = clients.emplace_back(serving.port);
      ASSERT_TRUE(client.connected());
      if (i % 2) client.send("GET / HTTP/1.1\r\nHost: ");
      if (i % 100 == 99) expect_the_page("half-open connections", i + 1);
      pace(start, i);
    }
  }
  void say_garbage(int count) {
    const double start = seconds_now();
    for (int i = 0; i < count; ++i) {
      Client client(serving.port);
      ASSERT_TRUE(client.connected());
      client.send(garbage(static_cast<unsigned>(i)));
      if (i % 3) client.answer(false, 0.005);
      if (i % 100 == 99) expect_the_page("connections of garbage", i + 1);
      pace(start, i);
    }
  }

  Serving serving;
  Listener listener;
};

TEST_F(WebFlood, AThousandHalfOpenConnectionsDoNotKeepThePageFromAnswering) {
  half_open(100);
  const double before = resident_mib();
  const Stretch stretch(serving);
  half_open(1000);
  stretch.expect_little();
  EXPECT_LE(keeps_what_is_freed ? 0 : resident_mib() - before, 4);
  expect_that_all_goes_on();
}

TEST_F(WebFlood, HalfOpenConnectionsMakeRoomAlsoWhenNobodyListens) {
  listener.client().close_now();
  ASSERT_TRUE(wait_until([&, seen = -1]() mutable {  // until nothing wakes the server but its clients
    const bool same = seen == serving.run.records;
    seen = serving.run.records;
    usleep(600'000);
    return same;
  }));
  const double start = seconds_now();
  half_open(300);
  EXPECT_LT(seconds_now() - start, 5);
}

TEST_F(WebFlood, AThousandConnectionsOfGarbageDoNotKeepThePageFromAnswering) {
  say_garbage(100);
  const double before = resident_mib();
  const Stretch stretch(serving);
  say_garbage(1000);
  stretch.expect_little();
  EXPECT_LE(keeps_what_is_freed ? 0 : resident_mib() - before, 4);
  expect_that_all_goes_on();
}

TEST(WebBudget, HoldsWhateverIsAskedFor) {
  monitor::web::Limits limits;
  limits.share = 0.01;
  limits.burst = 0.01;
  Serving serving({}, limits);
  serving.run.trace_text = std::string(1 << 20, 'x');
  const double start = seconds_now(), cpu = serving.server->cpu_seconds();
  int asked = 0;
  for (; seconds_now() - start < 3; ++asked) EXPECT_EQ(serving.ask(asked % 2 ? "/export" : "/trace.json").status, 200);
  const double wall = seconds_now() - start, spent = serving.server->cpu_seconds() - cpu;
  EXPECT_LE(spent, 0.01 * wall + 0.03) << asked << " requests in " << wall << " s";
  EXPECT_GT(asked, 5);
}

TEST(WebBudget, IsWaitedForWhenItIsSpent) {
  Budget budget(0.04, 0.1);
  budget.spend(0, 100);  // the clock begins anywhere
  budget.spend(0.1, 100);
  EXPECT_EQ(budget.wait(), 0);
  budget.spend(0.04, 100);
  EXPECT_NEAR(budget.wait(), 1, 1e-9);
  budget.spend(0, 101);
  EXPECT_NEAR(budget.wait(), 0, 1e-9);
  budget.spend(0, 1000);  // what is not used is not saved up
  budget.spend(0.14, 1000);
  EXPECT_NEAR(budget.wait(), 1, 1e-9);
}

}  // namespace
}  // namespace tidepool::inline v0
