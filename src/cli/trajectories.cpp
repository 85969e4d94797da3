// tidepool trajectories: many flights of a ball at once.
#include <tidepool/tidepool.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/trajectories/balls.h"
#include "cli/trajectories/files.h"
#include "cli/trajectories/flights.h"
#include "cli/trajectories/picture.h"
#include "cli/trajectories/summary.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/replace_file.h"
#include "platform/terminal.h"

namespace tidepool::cli {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct TrajectoriesCommand {
  std::int64_t count = 1'000'000, seed = 1;
  double step = 0.01, tolerance = 1e-6, height = NAN, spin_decay = 20;
  std::string method = "rk4", ball = "baseball", wind, device, memory_limit, out, plot;
  std::array<std::string, launch_rows> ranges;
  bool no_drag = false, no_lift = false, json = false;
};

struct LaunchOption {
  const char *name, *what;
  double least, most;
};
constexpr std::array<LaunchOption, launch_rows> launch_options{{
    {"--speed", "Speed at launch, m/s: all from A to B are as likely; or one number", 0.1, 150},
    {"--elevation", "Angle above the ground at launch, degrees", 0, 90},
    {"--azimuth", "Angle to the left at launch, degrees", -180, 180},
    {"--spin", "Backspin, turns a minute; below 0 it is topspin", -20'000, 20'000},
    {"--tilt", "By how many degrees the spin's axis is tilted, which curves the flight to the left", -90, 90},
}};

std::optional<Range> parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<double> low = parse_real(text.substr(0, colon));
  const std::optional<double> high = colon == std::string::npos ? low : parse_real(text.substr(colon + 1));
  if (!low || !high || *low > *high) return std::nullopt;
  return Range{*low, *high};
}

std::optional<std::array<double, 3>> parse_wind(const std::string& text) {
  std::array<double, 3> wind{};
  std::size_t begin = 0;
  for (double& part : wind) {
    const std::size_t comma = text.find(',', begin);
    const std::optional<double> value = parse_real(text.substr(begin, comma == std::string::npos ? comma : comma - begin));
    if (!value || std::abs(*value) > 100) return std::nullopt;
    part = *value;
    if (comma == std::string::npos) return wind;
    begin = comma + 1;
  }
  return std::nullopt;
}

Check check_range(double least, double most) {
  return [=](const std::string& text) {
    const std::optional<Range> range = parse_range(text);
    return range && range->low >= least && range->high <= most
               ? std::string()
               : cat("'", text, "' is no range; wanted A:B with A up to B, or one number, from ", least, " to ", most);
  };
}
Check check_real(double least, double most) {
  return [=](const std::string& text) {
    const std::optional<double> value = parse_real(text);
    return value && *value >= least && *value <= most ? std::string()
                                                      : cat("'", text, "' is out of range; wanted a number from ", least, " to ", most);
  };
}
std::string check_method(const std::string& text) {
  return text == "rk4" || text == "adaptive" ? "" : "there is no method '" + text + "'; wanted rk4 or adaptive";
}
std::string check_ball(const std::string& text) {
  if (find_ball(text)) return "";
  std::string known;
  for (const Ball& ball : balls()) known += (known.empty() ? "" : ", ") + ball.name;
  return "there is no ball '" + text + "'; wanted one of " + known;
}
std::string check_wind(const std::string& text) {
  return parse_wind(text) ? "" : "'" + text + "' is no wind; wanted AHEAD[,LEFT[,UP]] in m/s, such as 5 or -3,2, up to 100 each";
}
std::string check_out(const std::string& text) {
  return FlightFile::knows(text) ? "" : "the name " + text + " does not say in which format; end it in .csv or .npy";
}
std::string check_plot(const std::string& text) { return text.ends_with(".svg") ? "" : "'" + text + "' is no SVG; end it in .svg"; }
std::string check_limit(const std::string& text) {
  return parse_bytes(text) ? "" : "'" + text + "' is no size; wanted one such as 512MiB or 2GiB";
}

FlightOptions flight_options(const TrajectoriesCommand& command) {
  const Ball& ball = *find_ball(command.ball);
  Air air{.spin_decay = command.spin_decay, .drag = !command.no_drag, .lift = !command.no_lift};
  if (!command.wind.empty()) std::ranges::copy(*parse_wind(command.wind), air.wind);
  FlightOptions options{.count = command.count,
                        .method = command.method == "adaptive" ? Method::adaptive : Method::rk4,
                        .params = params_of(ball, air, std::isnan(command.height) ? ball.height : command.height),
                        .launches = ball.launches,
                        .seed = static_cast<std::uint64_t>(command.seed)};
  options.params.step = static_cast<float>(command.step);
  options.params.tolerance = static_cast<float>(command.tolerance);
  for (std::size_t i = 0; i < launch_rows; ++i)
    if (!command.ranges[i].empty()) options.launches[i] = *parse_range(command.ranges[i]);
  return options;
}

// A line that is written over, where somebody can see it.
class Progress {
 public:
  explicit Progress(std::int64_t count) : count_(count), shown_(error_is_terminal()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::int64_t done) const {
    if (shown_) std::fprintf(stderr, "\r%lld of %lld flights", static_cast<long long>(done), static_cast<long long>(count_));
  }
  void clear() const {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

 private:
  std::int64_t count_;
  bool shown_;
};

struct Result {
  std::int64_t flown = 0, landed = 0, recoveries = 0;
  double seconds = 0;
  Distribution range, apex, time, speed, steps;

  void add(const FlightBlock& block) {
    flown += block.size;
    for (std::int64_t i = 0; i < block.size; ++i) {
      if (!block.landed(i)) continue;
      ++landed;
      range.add(std::hypot(block.outcome(outcome_x, i), block.outcome(outcome_y, i)));
      apex.add(block.outcome(outcome_apex, i));
      time.add(block.outcome(outcome_time, i));
      speed.add(block.outcome(outcome_speed, i));
      steps.add(block.outcome(outcome_steps, i));
    }
  }
  std::vector<std::pair<const char*, const Distribution*>> figures() const {
    return {{"range m", &range}, {"apex m", &apex}, {"time s", &time}, {"landing speed m/s", &speed}, {"steps", &steps}};
  }
};

Json json_of(const Distribution& d) {
  return {{"mean", d.mean()},         {"min", d.smallest()},       {"p5", d.percentile(0.05)},
          {"p50", d.percentile(0.5)}, {"p95", d.percentile(0.95)}, {"max", d.largest()}};
}

std::string method_text(const TrajectoriesCommand& command) {
  return command.method == "rk4" ? cat("rk4, step ", command.step, " s") : cat("adaptive, tolerance ", command.tolerance);
}

void print_json(const TrajectoriesCommand& command, const Result& result) {
  Json document{{"flights", result.flown}, {"landed", result.landed}, {"ball", command.ball}, {"method", command.method}};
  if (command.method == "rk4")
    document["step"] = command.step;
  else
    document["tolerance"] = command.tolerance;
  document.update({{"seed", command.seed},
                   {"device", default_device().id()},
                   {"seconds", result.seconds},
                   {"flights_per_second", static_cast<double>(result.flown) / result.seconds},
                   {"recoveries", result.recoveries},
                   {"range", json_of(result.range)},
                   {"apex", json_of(result.apex)},
                   {"time", json_of(result.time)},
                   {"landing_speed", json_of(result.speed)},
                   {"steps", json_of(result.steps)}});
  std::cout << document.dump() << '\n';
}

void print_table(const TrajectoriesCommand& command, const Result& result) {
  std::printf("%lld flights (%s; %s) on %s: %.2f s, %.0f flights/s\n\n", static_cast<long long>(result.flown), command.ball.c_str(),
              method_text(command).c_str(), default_device().id().c_str(), result.seconds,
              static_cast<double>(result.flown) / result.seconds);
  std::printf("%-18s %9s %9s %9s %9s %9s %9s\n", "", "mean", "least", "5 %", "50 %", "95 %", "most");
  for (const auto& [name, d] : result.figures())
    std::printf("%-18s %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n", name, d->mean(), d->smallest(), d->percentile(0.05), d->percentile(0.5),
                d->percentile(0.95), d->largest());
  std::fflush(stdout);
}

std::string advice(const TrajectoriesCommand& command) {
  return cat("within ", most_steps, " steps; give a ", command.method == "rk4" ? "longer --step" : "larger --tolerance");
}

int fly(const TrajectoriesCommand& command) {
  if (!command.memory_limit.empty()) configure({.memory_limit = *parse_bytes(command.memory_limit)});
  use_device(command.device);
  const FlightOptions options = flight_options(command);
  std::unique_ptr<FlightFile> file = command.out.empty() ? nullptr : FlightFile::open(command.out, command.count);
  std::optional<FileReplacement> plot;
  if (!command.plot.empty()) plot.emplace("trajectories", command.plot);
  FlightPicture picture(options.params);
  Result result;
  const InterruptScope interrupts(true);
  const Clock::time_point start = Clock::now();
  {
    const Progress progress(command.count);
    result.recoveries = fly_all(options, [&](const FlightBlock& block) {
      result.add(block);
      if (file) file->add(block);
      if (plot) picture.add(block);
      progress.show(result.flown);
      return !InterruptScope::interrupted();
    });
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (InterruptScope::interrupted()) {
    std::cerr << "tidepool: interrupted after " << result.flown << " of " << command.count << " flights; nothing was written\n";
    return interrupted;
  }
  if (result.landed == 0) throw Error("trajectories", "no flight landed " + advice(command));
  if (file) file->finish();
  if (plot) {
    const std::string svg =
        picture.svg(cat(result.landed, " flights (", command.ball, "), ", std::lround(result.range.mean()), " m on average"));
    plot->write(std::as_bytes(std::span(svg)));
    plot->finish();
  }
  command.json ? print_json(command, result) : print_table(command, result);
  if (result.landed < result.flown)
    std::cerr << "tidepool: " << result.flown - result.landed << " of " << result.flown << " flights did not land " << advice(command)
              << "; they are not in the figures\n";
  return done;
}

}  // namespace

void add_trajectories(Parser& parser) {
  Command command =
      parser.command("trajectories", "Fly many balls at once, with gravity, drag, lift by spin, and wind; say where they land");
  const auto options = std::make_shared<TrajectoriesCommand>();
  command.number("--count", options->count, "How many flights; a million unless given", {.type = "N", .check = at_least(1)});
  command.text("--method", options->method,
               "rk4: steps of one length; adaptive: as long as the tolerance allows (Dormand-Prince); rk4 unless given",
               {.type = "rk4|adaptive", .check = check_method});
  command.real("--step", options->step, "Of rk4, seconds; 0.01 unless given. The first one of adaptive",
               {.type = "S", .check = check_real(1e-4, 0.1)});
  command.real("--tolerance", options->tolerance, "Of one adaptive step, relative; 1e-6 unless given",
               {.type = "T", .check = check_real(1e-7, 1e-2)});
  command.text("--ball", options->ball,
               "baseball, golf, tennis or football: mass, size, coefficients and how it is launched; baseball unless given",
               {.type = "BALL", .check = check_ball});
  for (std::size_t i = 0; i < launch_rows; ++i) {
    const LaunchOption& launch = launch_options[i];
    command.text(launch.name, options->ranges[i], launch.what, {.type = "A:B", .check = check_range(launch.least, launch.most)});
  }
  command.real("--height", options->height, "Of the launch above the ground, m", {.type = "M", .check = check_real(0, 1000)});
  command.text("--wind", options->wind, "Where the wind blows to, m/s: ahead, to the left, up", {.type = "X[,Y[,Z]]", .check = check_wind});
  command.real("--spin-decay", options->spin_decay, "Seconds until the spin has fallen to 1/e; 20 unless given, 0: it stays",
               {.type = "S", .check = check_real(0, 1e6)});
  command.flag("--no-drag", options->no_drag, "Without drag");
  command.flag("--no-lift", options->no_lift, "Without lift");
  command.number("--seed", options->seed, "Of the launches; 1 unless given", {.type = "N", .check = at_least(0)});
  add_device_option(command, options->device);
  command.text("--memory-limit", options->memory_limit, "Of the device: never more than this, such as 64MiB",
               {.type = "BYTES", .check = check_limit});
  command.text("--out", options->out, "Write every flight here, as CSV or NumPy's array by the ending, .csv or .npy",
               {.type = "F", .check = check_out});
  command.text("--plot", options->plot, "Draw flights and landing points here, as SVG", {.type = "F.svg", .check = check_plot});
  command.flag("--json", options->json, "One JSON document, and nothing else");
  command.runs([options] { return fly(*options); });
}

}  // namespace tidepool::cli
