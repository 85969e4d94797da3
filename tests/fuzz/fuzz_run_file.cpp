// A run's file, as `tidepool report` reads it, and what is made of it.
#include "fuzz/target.h"
#include "monitor/report.h"
#include "monitor/run_file.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  const MemoryFile file(bytes);
  taken([&] {
    const monitor::RunRecord run = monitor::read_run(file.path());
    const monitor::Report alone = monitor::report_of(run, nullptr), compared = monitor::report_of(run, &run);
    for (const monitor::Report& report : {alone, compared}) {
      const std::string html = to_html(report), text = to_markdown(report);
      require(html.find("<script>alert") == html.npos, "HTML of the file's own");
      require(!html.empty() && !text.empty(), "a report without a word");
    }
    const MemoryFile again(monitor::run_lines(run));
    require(monitor::run_lines(monitor::read_run(again.path())) == monitor::run_lines(run), "written and read again, it is another");
  });
}

const Target target("run_file", take, 1000);

}  // namespace
}  // namespace tidepool::fuzz
