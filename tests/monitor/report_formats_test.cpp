// Reports as Markdown and as HTML: the same figures, whole tags, and foreign words that stay words.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "monitor/report.h"
#include "monitor/report_run.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/sha256.h"

namespace tidepool::inline v0::monitor {
namespace {

RunRecord eventful_run(const std::string& name) {
  RunRecord run = made_run({.compute = 0.7, .loader = 0.15});
  run.training->task = run.device.name = run.device.driver = run.device.id = run.device.kind = run.version = run.started = name;
  run.kernels[0].name = run.operations[0].name = run.pool->regions[0].blocks[0].holder = name;
  run.figures[name] = {.count = 3, .last = 1, .mean = 1, .least = 1, .most = 1, .p50 = 1, .p90 = 1, .p99 = 1};
  run.anomalies = {{Anomaly::leak, 12.5, name, 1, 2, 3, name}};
  run.advice = {{Advice::batch, 0.3, name, name}};
  run.events = {{3.25, name, name, name}};
  run.forecast.training_end = Expectation{.seconds = 1, .low = 1, .high = 2, .message = name};
  return run;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
  return text;
}

// All that is from one of these to the next of those, both included.
std::string without(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, text.find(to, at + from.size()) + to.size() - at, " ");
  return text;
}

// What is read of a page: no style, drawing, axis, legend or contents, no tags.
std::string words_of(std::string html) {
  for (const auto& [from, to] : {std::pair{"<head>", "</head>"},
                                 {"<svg", "</svg>"},
                                 {"<ul class=\"axis", "</ul>"},
                                 {"<ul class=\"legend", "</ul>"},
                                 {"<nav", "</nav>"},
                                 {"<", ">"}})
    html = without(std::move(html), from, to);
  for (const auto& [what, by] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}, {"\u00a0", " "}})
    html = replaced(std::move(html), what, by);
  return html;
}

std::vector<std::string> figures_in(const std::string& text) {
  static const std::regex number(R"([+-]?\d[\d,]*(\.\d+)?(e-?\d+)?( ?(%|ms|µs|ns|s|min|h|[KMGT]iB|B)\b)?)");
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) all.push_back(at->str());
  return all;
}

// Every tag that opens is closed in its turn; the names of all of them.
std::vector<std::string> tags_of(const std::string& html) {
  static const std::regex tag(R"(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z-]+="[^"<>]*")*)(/?)>)");
  std::vector<std::string> open, all;
  // Paths are long, and regular expressions go as deep.
  const std::string body = without(without(replaced(html, "<!DOCTYPE html>", ""), "<style>", "</style>"), " d=\"", "\"");
  for (std::size_t at = body.find('<'); at != std::string::npos; at = body.find('<', at + 1)) {
    const std::string text = replaced(body.substr(at, body.find('>', at) + 1 - at), " />", "/>");
    std::smatch match;
    if (!std::regex_match(text, match, tag)) {
      ADD_FAILURE() << "a < that is no tag: " << text;
      continue;
    }
    const std::string name = match[2];
    if (match[1].length()) {
      EXPECT_EQ(open.empty() ? "" : open.back(), name);
      if (!open.empty()) open.pop_back();
      continue;
    }
    all.push_back(name);
    if (!match[4].length() && name != "meta") open.push_back(name);
  }
  EXPECT_TRUE(open.empty());
  return all;
}

TEST(ReportFormats, BothHaveTheSameFiguresInTheSameOrder) {
  const RunRecord earlier = made_run(), run = eventful_run("net 7");
  for (const Report& report : {report_of(run), report_of(run, &earlier), report_of(RunRecord{})}) {
    std::string markdown = to_markdown(report);
    for (char number = '1'; number <= '9'; ++number)
      markdown = replaced(std::move(markdown), cat("\n", number, ". "), "\n");  // a list's own
    const std::vector<std::string> in_markdown = figures_in(markdown), in_html = figures_in(words_of(to_html(report)));
    EXPECT_EQ(in_markdown, in_html);
  }
  EXPECT_GT(figures_in(to_markdown(report_of(run))).size(), 100U);
}

TEST(ReportFormats, SharesOfTimeAddUpToAHundredAsTheyAreWritten) {
  for (unsigned i = 0; i < 50; ++i) {
    std::mt19937 random(i);
    std::uniform_real_distribution<double> part(0, 0.4);
    const std::string markdown = to_markdown(report_of(
        made_run({.compute = part(random), .transfer = part(random), .wait = part(random), .loader = part(random), .samples = 20})));
    const std::size_t begin = markdown.find("**Parts of the wall time**"), end = markdown.find("There were", begin);
    const std::string table = markdown.substr(begin, end - begin);
    static const std::regex share(R"((\d+)\.(\d) % \|)");
    int tenths = 0, rows = 0;
    for (std::sregex_iterator at(table.begin(), table.end(), share), none; at != none; ++at, ++rows)
      tenths += 10 * std::stoi((*at)[1]) + std::stoi((*at)[2]);
    EXPECT_EQ(tenths, 1000) << table;
    EXPECT_EQ(rows, 7);
  }
}

TEST(ReportFormats, NothingKnownStillMakesADocument) {
  const Report report = report_of(RunRecord{});
  const std::string markdown = to_markdown(report);
  EXPECT_EQ(markdown.substr(0, 18), "# Report on a run\n");
  for (const char* said :
       {"all of the wall time is unknown", "Nothing was trained by a `tp::Trainer`.", "Too little is known to name one.",
        "nothing is known of memory over time", "None was noticed.", "- **A run** on an unknown device took 0 s; the program has ended."})
    EXPECT_NE(markdown.find(said), std::string::npos) << said << '\n' << markdown;
  EXPECT_EQ(markdown.find("nan"), std::string::npos);
  EXPECT_EQ(markdown.find("inf"), std::string::npos);
  EXPECT_EQ(markdown.find("\n\n\n"), std::string::npos);
  tags_of(to_html(report));
}

// Its training was resumed, and counts from its beginning.
TEST(ReportFormats, StepsAreThoseOfTheRun) {
  RunRecord run = made_run();
  const std::string steps = with_commas(static_cast<std::uint64_t>(run.samples.back().steps));
  run.training->step = 1'000'000;
  std::string markdown = to_markdown(report_of(run));
  EXPECT_NE(markdown.find(cat(" for ", steps, " steps")), std::string::npos) << markdown;
  EXPECT_NE(markdown.find(cat("| ", steps, " ")), std::string::npos) << markdown;
  run.samples.clear();
  markdown = to_markdown(report_of(run));
  EXPECT_NE(markdown.find(" for 1,000,000 steps"), std::string::npos) << "nothing else is known";
}

TEST(ReportFormats, SayHowFarTrainingIs) {
  RunRecord run = made_run();
  const auto says = [&](const char* state) { return to_markdown(report_of(run)).find(cat("; ", state, ".")) != std::string::npos; };
  EXPECT_TRUE(says("training has finished"));
  run.training->finished = false;
  EXPECT_TRUE(says("training ended before its last epoch")) << "with its program";
  run.running = true;
  EXPECT_TRUE(says("training is still going on"));
  run.training->ended = true;
  EXPECT_TRUE(says("training ended before its last epoch")) << "it was interrupted, and the program goes on";
  run.training->finished = true;
  EXPECT_TRUE(says("training has finished"));
}

TEST(ReportFormats, HtmlIsWholeAndKeepsToItsPolicy) {
  const RunRecord earlier = made_run();
  const std::string html = to_html(report_of(eventful_run("net"), &earlier));
  const std::vector<std::string> tags = tags_of(html);
  const auto count = [&](const char* name) { return std::count(tags.begin(), tags.end(), name); };
  EXPECT_EQ(count("script"), 0);
  EXPECT_EQ(count("h1"), 1);
  EXPECT_EQ(count("svg"), 4) << "loss, step time, memory, and the parts of time";
  EXPECT_EQ(count("table"), count("caption"));
  EXPECT_GE(count("table"), 9);
  EXPECT_EQ(html.find("<th>"), std::string::npos) << "every heading says what it heads";
  EXPECT_EQ(html.find(" style="), std::string::npos);
  EXPECT_EQ(html.find("://"), std::string::npos) << "nothing from outside";
  const std::size_t begin = html.find("<style>") + 7, end = html.find("</style>");
  const std::string hash = sha256_base64(html.substr(begin, end - begin));
  EXPECT_NE(html.find("content=\"default-src 'none'; style-src 'sha256-" + hash + "'; base-uri 'none'; form-action 'none'\""),
            std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(ReportFormats, HostileNamesStayWordsInHtml) {
  const std::vector<std::string> usual = tags_of(to_html(report_of(eventful_run("net"))));
  for (const char* name : {"</style><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
                           "&lt;script&gt;", "]]>--><!--", "a\nb\r\n<b>", "\xff\xfe<i>", "`<b>`"}) {
    const std::string html = to_html(report_of(eventful_run(name)));
    std::vector<std::string> tags = tags_of(html);
    std::erase(tags, "code");  // what is between backticks
    std::vector<std::string> expected = usual;
    std::erase(expected, "code");
    EXPECT_EQ(tags, expected) << name;
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("onerror=alert(1)>"), std::string::npos);
    EXPECT_EQ(html.find('\xff'), std::string::npos);
  }
  EXPECT_NE(to_html(report_of(eventful_run("a&b<c>\"d'"))).find("a&amp;b&lt;c&gt;&quot;d&#39;"), std::string::npos);
}

std::vector<std::size_t> shape_of(const std::string& markdown) {  // of each line, how many cells, or what it begins with
  std::vector<std::size_t> shape;
  std::size_t cells = 0;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    cells += markdown[i] == '|';
    if (markdown[i] != '\n') continue;
    shape.push_back(cells);
    cells = 0;
  }
  return shape;
}

TEST(ReportFormats, HostileNamesStayWordsInMarkdown) {
  const std::vector<std::size_t> usual = shape_of(to_markdown(report_of(eventful_run("net"))));
  for (const char* name : {"a|b", "a\\|b", "a\\", "x\n\n# Pwned\n", "<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](y)",
                           "**bold** _it_", "`a|b`", "``", "| | |", "\r\n- x", "$x$ ~~y~~"}) {
    const std::string markdown = to_markdown(report_of(eventful_run(name)));
    EXPECT_EQ(shape_of(markdown), usual) << name;
    const std::string prose =
        std::regex_replace(markdown, std::regex("`[^`\n]*`|\\\\."), "");  // code means itself, and so does what is escaped
    for (const char* live : {"<", "](", "~~y", "bold** ", " _it_", "$x$", "\n# Pwned"})
      EXPECT_EQ(prose.find(live), std::string::npos) << name << ": " << live << '\n' << prose;
  }
  const std::string markdown = to_markdown(report_of(eventful_run("a_b*c")));
  EXPECT_NE(markdown.find("# Report on a_b\\*c\n"), std::string::npos) << markdown.substr(0, 100);
  EXPECT_NE(markdown.find("| `a_b*c` "), std::string::npos);
}

TEST(ReportFormats, ALossThatIsNoNumberIsToldAndLeavesAGap) {
  RunRecord run = made_run();
  run.samples[200].loss = std::numeric_limits<double>::infinity();
  run.samples[201].loss = std::numeric_limits<double>::quiet_NaN();
  const std::string html = to_html(report_of(run));
  EXPECT_NE(html.find("2 values are not finite, first at 20.1\u00a0s."), std::string::npos);
  const std::size_t begin = html.find("<path class=\"line c0\""), end = html.find("/>", begin);
  const std::string path = html.substr(begin, end - begin);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << "one line before, one after";
  EXPECT_EQ(path.find("nan"), std::string::npos);
  EXPECT_EQ(path.find("inf"), std::string::npos);
}

TEST(ReportFormats, FiguresWithoutBoundsDoNoHarm) {
  RunRecord run = made_run({.samples = 4});
  constexpr double huge = std::numeric_limits<double>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  run.samples[0].steps = most;
  run.samples[1].steps = least;
  run.samples[1].loss = -huge;
  run.samples[2].loss = huge;
  run.samples[2].step_ms = run.samples[3].loader_ms = run.samples[3].compute_ms = huge;
  run.samples[2].live = run.samples[2].reserved = run.samples[1].by_tag[0] = SIZE_MAX;
  run.samples[3].transfer_ms = 1e-300;
  run.samples[3].time = -1;
  run.kernels[0].device_ms = run.kernels[1].share = huge;
  run.training->epochs = run.training->step = least;
  run.cost.total = 1e-300;
  run.time = huge;
  tags_of(to_html(report_of(run, &run)));
  EXPECT_GT(to_markdown(report_of(run, &run)).size(), 1000U);
}

TEST(ReportFormats, MessagesBecomeSentencesAndAreToldOnce) {
  RunRecord run = made_run();
  run.advice = {{Advice::threads, 0.3, "use `fewer` threads", "TIDEPOOL_THREADS=1"}};
  run.events = {{1.5, "message", "", "it is slow"}, {1.5, "slow", "cpu", "it is slow"}, {2, "message", "", "batches are halved"}};
  const std::string markdown = to_markdown(report_of(run));
  EXPECT_NE(markdown.find("1. **High priority.** Use `fewer` threads. Set: `TIDEPOOL_THREADS=1`\n"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("\n\n- **At 1.5 s**, slow, `cpu`: it is slow\n- **At 2.0 s**, message: batches are halved\n"), std::string::npos)
      << markdown;
}

TEST(ReportFormats, ManyEpochsAreShownInPart) {
  RunRecord run = made_run({.epochs = 1000});
  const std::string markdown = to_markdown(report_of(run));
  EXPECT_NE(markdown.find("**Results by epoch: 24 of 1,000**"), std::string::npos);
  EXPECT_NE(markdown.find("|     1 | 0.7000"), std::string::npos);
  EXPECT_NE(markdown.find("| 1,000 | 0.2000"), std::string::npos);
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
