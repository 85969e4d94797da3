// tidepool report: what a run comes down to, by its file.
#include <tidepool/error.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/cli.h"
#include "monitor/report.h"
#include "monitor/run_file.h"
#include "platform/cat.h"

namespace tidepool::cli {

namespace {

struct ReportOptions {
  std::string run, against, format, out;
  bool fail_on_regression = false;
};

std::string check_format(const std::string& text) {
  return text == "md" || text == "html" ? "" : "'" + text + "' is no format of reports; wanted md or html";
}

monitor::RunRecord read_record(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw IoError("report", cat("there is no file ", path, "; wanted a file of `tidepool train --record F` or tp::monitor::write_run"));
  return monitor::read_run(path);
}

monitor::ReportFormat chosen_format(const ReportOptions& options) {
  if (!options.format.empty()) return options.format == "html" ? monitor::ReportFormat::html : monitor::ReportFormat::markdown;
  if (options.out.empty()) return monitor::ReportFormat::markdown;
  const std::optional<monitor::ReportFormat> by_name = monitor::format_of(options.out);
  if (!by_name)
    throw WrongUsage("--out: the name " + options.out + " does not say in which format; end it in .md or .html, or give --format");
  return *by_name;
}

int make_report(const ReportOptions& options) {
  if (options.fail_on_regression && options.against.empty())
    throw WrongUsage("--fail-on-regression: there is nothing to compare with; give the earlier run with --against");
  const monitor::ReportFormat format = chosen_format(options);
  const monitor::RunRecord run = read_record(options.run);
  std::optional<monitor::RunRecord> earlier;
  if (!options.against.empty()) earlier = read_record(options.against);
  const monitor::Report report = monitor::report_of(run, earlier ? &*earlier : nullptr);
  if (options.out.empty())
    std::cout << (format == monitor::ReportFormat::html ? to_html(report) : to_markdown(report));
  else
    monitor::write_report(report, options.out, format);
  if (!options.fail_on_regression || !has_regression(report)) return done;
  const std::size_t count = regressions(report).size();
  std::cerr << "tidepool: " << count << (count == 1 ? " regression" : " regressions") << " against " << options.against << '\n';
  return failed;
}

}  // namespace

void add_report(Parser& parser) {
  Command command = parser.command("report", "Say where a run's time and memory went, and what has changed since an earlier one");
  const auto options = std::make_shared<ReportOptions>();
  command.text("run", options->run, "The file that a run was written to", {.type = "RUN", .required = true});
  command.text("--against", options->against, "An earlier run's file, to show beside it what got better and what worse", {.type = "RUN"});
  command.text("--format", options->format, "md or html; by the name of --out unless given, and md without one",
               {.type = "md|html", .check = check_format});
  command.text("--out", options->out, "Write the report to this file rather than to standard output", {.type = "F"});
  command.flag("--fail-on-regression", options->fail_on_regression,
               "Exit with 1 when something got worse by more than 10 % and by more than it varies");
  command.runs([options] { return make_report(*options); });
}

}  // namespace tidepool::cli
