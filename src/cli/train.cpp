// tidepool train: one of the networks that the command knows by name.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/cli.h"
#include "cli/confusion_table.h"
#include "cli/pictures.h"
#include "cli/plot.h"
#include "cli/tasks.h"
#include "cli/watched.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/replace_file.h"
#include "platform/terminal.h"

namespace tidepool::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TrainCommand {
  std::string task, device, batch, memory_limit, checkpoint, save, plot, record;
  std::int64_t epochs = 0, seed = 1, dashboard = -1;
  bool resume = false, json = false, show = false, auto_tune = false;
};

void print(const Json& event) { std::cout << event.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush; }

Json json_of(const EpochResult& e, const Task& task) {
  Json event{{"event", "epoch"}, {"epoch", e.epoch}, {"loss", e.loss}};
  if (!task.classes.empty()) event["accuracy"] = e.accuracy;
  if (task.test) {
    event["test_loss"] = e.test_loss;
    event["test_accuracy"] = e.test_accuracy;
  }
  event["seconds"] = e.seconds;
  event["samples_per_second"] = e.samples_per_second;
  return event;
}

std::int64_t batch_of(const std::string& text, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  return text == "auto" ? 0 : std::stoll(text);
}

std::string check_batch(const std::string& text) {
  if (text == "auto") return "";
  const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && std::stoll(text) > 0 ? "" : "'" + text + "' is no batch; wanted a number from 1 on, or auto";
}

std::string check_task(const std::string& text) {
  return find_task(text) ? "" : "there is no task '" + text + "'; wanted xor, sine or fashion-mnist";
}

std::string check_bytes(const std::string& text) {
  return parse_bytes(text) ? "" : "'" + text + "' is no size; wanted one such as 512MiB or 2GiB";
}

std::string check_port(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && std::stol(text) < 65536 ? "" : "'" + text + "' is no port; wanted --dashboard, or --dashboard=N with N from 0 to 65535";
}

// "; unless given, xor 500, sine 100, …"
std::string unless_given(std::int64_t Task::*number) {
  std::string text = "; unless given";
  for (const Task& task : tasks()) text += cat(", ", task.name, ' ', task.*number);
  return text;
}

struct Run {
  const Task& task;
  const TrainCommand& options;
  nn::Sequential net;
  optim::Adam opt;
  Trainer trainer;

  Run(const Task& task, const TrainCommand& options)
      : task(task),
        options(options),
        net((manual_seed(static_cast<std::uint64_t>(options.seed)), task.network())),
        opt(net.parameters(), {.lr = task.lr}),
        trainer(net, opt, task.loss, train_options()) {}

  TrainOptions train_options() {
    return {.epochs = options.epochs > 0 ? options.epochs : task.epochs,
            .batch = batch_of(options.batch, task.batch),
            .checkpoint = options.checkpoint,
            .snapshot_every = 50,
            .progress = !options.json,
            .seed = options.seed,
            .shuffle = task.shuffle,
            .stop_on_interrupt = true,
            .interrupt_checkpoint = task.name + ".ckpt",
            .auto_tune = options.auto_tune,
            .name = task.name,
            .on_epoch =
                [this](const EpochResult& e) {
                  if (options.json) print(json_of(e, task));
                },
            .on_message =
                [this](const std::string& message) {
                  if (options.json) print({{"event", "message"}, {"message", message}});
                }};
  }
  std::string checkpoint() const { return options.checkpoint.empty() ? task.name + ".ckpt" : options.checkpoint; }
};

// The one before is as good: resume falls back on it.
bool has_checkpoint(const std::string& path) {
  std::error_code ignored;  // who reads it says why it cannot
  return std::filesystem::exists(path, ignored) || std::filesystem::exists(previous_of(path), ignored);
}

// As a shell takes it for one word.
std::string word(const std::string& text) {
  constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=+-";
  if (text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The command that goes on where this one stopped.
std::string resume_command(const Run& run) {
  const TrainCommand& o = run.options;
  std::string command = "tidepool train " + run.task.name + " --checkpoint " + word(run.checkpoint()) + " --resume";
  if (!o.device.empty()) command += " --device " + word(o.device);
  if (o.epochs > 0) command += " --epochs " + std::to_string(o.epochs);
  if (!o.batch.empty()) command += " --batch " + o.batch;
  if (o.seed != 1) command += " --seed " + std::to_string(o.seed);
  if (!o.memory_limit.empty()) command += " --memory-limit " + word(o.memory_limit);
  if (!o.save.empty()) command += " --save " + word(o.save);
  if (!o.record.empty()) command += " --record " + word(o.record);
  if (!o.plot.empty()) command += " --plot " + word(o.plot);
  if (o.auto_tune) command += " --auto-tune";
  if (o.dashboard >= 0) command += " --dashboard=" + std::to_string(o.dashboard);
  if (o.show) command += " --show";
  if (o.json) command += " --json";
  return command;
}

void report(Run& run, const TrainResult& result, const data::Dataset& test) {
  const Task& task = run.task;
  if (run.options.json) {
    Json event{{"event", "end"}, {"steps", result.steps}, {"recoveries", result.recoveries}, {"interrupted", result.interrupted}};
    if (!result.epochs.empty()) event["loss"] = result.epochs.back().loss;
    if (test.size() > 0 && !result.epochs.empty()) event["test_accuracy"] = result.epochs.back().test_accuracy;
    print(event);
    return;
  }
  if (result.epochs.empty()) return;
  const EpochResult& last = result.epochs.back();
  std::printf("%s: %lld epochs, %lld steps, loss %.3g", task.name.c_str(), static_cast<long long>(result.epochs.size()),
              static_cast<long long>(result.steps), last.loss);
  if (test.size() > 0) std::printf(", test accuracy %.4f", last.test_accuracy);
  double seconds = 0;
  for (const EpochResult& e : result.epochs) seconds += e.seconds;
  std::printf(", %.1f s on %s\n", seconds, default_device().id().c_str());
  std::fflush(stdout);
  if (!run.options.show || test.size() == 0) return;
  const EvalResult evaluated = run.trainer.evaluate(test);
  std::cout << '\n' << confusion_table(evaluated, task.classes) << '\n' << predicted_pictures(run.net, test, task.classes);
}

int train(const TrainCommand& options) {
  const Task& task = *find_task(options.task);
  if (!options.plot.empty() && !task.drawn)
    throw WrongUsage("--plot: " + task.name + " is no function of one number; leave it out, or train sine");
  for (const std::string& result : {options.save, options.plot, options.record})
    if (!result.empty()) {
      require_replaceable("train", result);  // rather than when all is done
      outlive_readers();                     // the result is not what is printed
    }
  if (!options.memory_limit.empty()) configure({.memory_limit = *parse_bytes(options.memory_limit)});
  use_device(options.device);
  const data::Dataset train = task.train().normalized(task.mean, task.deviation);
  const data::Dataset test = task.test ? task.test().normalized(task.mean, task.deviation) : data::Dataset();
  Watched watched({.port = options.dashboard, .record = options.record, .json = options.json});
  Run run(task, options);
  if (options.resume && !has_checkpoint(run.checkpoint()))
    throw IoError("train",
                  cat("there is no checkpoint ", run.checkpoint(), " to go on from; name it with --checkpoint, or begin without --resume"));
  if (options.resume) run.trainer.resume(run.checkpoint());
  if (options.json)
    print({{"event", "start"},
           {"task", task.name},
           {"device", default_device().id()},
           {"samples", train.size()},
           {"epochs", options.epochs > 0 ? options.epochs : task.epochs},
           {"seed", options.seed}});
  const TrainResult result = run.trainer.fit(train, test);
  if (result.interrupted) {
    report(run, result, test);
    std::cerr << "tidepool: interrupted after step " << result.steps
              << (result.checkpoint.empty() ? "; nothing was kept to go on from" : "; go on with: " + resume_command(run)) << '\n';
    return interrupted;
  }
  if (!options.save.empty()) save(run.net, options.save);
  if (!options.plot.empty()) plot_function(run.net, train, options.plot);
  report(run, result, test);  // when all is kept: perhaps nobody reads it
  watched.finish();           // before the page stays: the record is of the run, not of the wait
  watched.stay();
  return done;
}

}  // namespace

void add_train(Parser& parser) {
  Command command = parser.command("train", "Train a small network: xor, sine or fashion-mnist");
  const auto options = std::make_shared<TrainCommand>();
  command.text("task", options->task, "xor, sine or fashion-mnist", {.check = check_task, .required = true});
  add_device_option(command, options->device);
  command.number("--epochs", options->epochs, "How often to go over the samples" + unless_given(&Task::epochs),
                 {.type = "N", .check = at_least(1)});
  command.text("--batch", options->batch,
               "Samples of a step, or auto: as many as are fastest within the memory limit" + unless_given(&Task::batch),
               {.type = "N|auto", .check = check_batch});
  command.number("--seed", options->seed, "Of the first weights and the order of samples; 1 unless given",
                 {.type = "N", .check = at_least(0)});
  command.text("--memory-limit", options->memory_limit, "Of the device: never more than this, such as 1GiB",
               {.type = "BYTES", .check = check_bytes});
  command.text("--checkpoint", options->checkpoint, "Write a checkpoint here after every epoch", {.type = "F"});
  command.flag("--resume", options->resume, "Go on from the checkpoint");
  command.flag_or_number("--dashboard", options->dashboard, 0, "Serve the live page on this machine, at this port or a free one",
                         check_port);
  command.flag("--auto-tune", options->auto_tune, "Follow the monitor's advice between epochs, and keep what is faster");
  command.text("--record", options->record, "Write the run here when it ends, for tidepool report", {.type = "F"});
  command.flag("--json", options->json, "One line of JSON for each event, and nothing else");
  command.text("--save", options->save, "Write the network here, as safetensors", {.type = "F"});
  command.text("--plot", options->plot, "Write truth and prediction here, as SVG (sine)", {.type = "F"});
  command.flag("--show", options->show, "Print the confusion matrix and a few predicted pictures");
  command.runs([options] { return train(*options); });
}

}  // namespace tidepool::cli
