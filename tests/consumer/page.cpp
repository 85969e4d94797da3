#include <tidepool/dashboard.h>

#include <cstdio>

namespace tp = tidepool;

int main() {
  const tp::monitor::Dashboard dash({.host = "127.0.0.1", .port = 0});
  std::printf("the page is at %s\n", dash.url().c_str());
}
