// Which devices there are, an id on each line.
#include <tidepool/tidepool.h>

#include <cstdio>

int main() {
  for (const tidepool::DeviceInfo& device : tidepool::devices()) std::puts(device.id.c_str());
}
