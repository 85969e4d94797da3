#include "cli/cli.h"

namespace tidepool::cli {

void add_commands(Parser& parser) {
  add_devices(parser);
  add_doctor(parser);
  add_train(parser);
  add_eval(parser);
  add_watch(parser);
  add_report(parser);
  add_bench(parser);
  add_trajectories(parser);
}

}  // namespace tidepool::cli
