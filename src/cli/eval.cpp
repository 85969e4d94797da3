// tidepool eval: how good a saved network is.
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/confusion_table.h"
#include "cli/tasks.h"
#include "io/safetensors.h"
#include "platform/cat.h"

namespace tidepool::cli {

namespace {

struct EvalOptions {
  std::string model, data, device;
  bool json = false;
};

// The task whose network has these tensors.
const Task& task_of(const std::string& model) {
  const SafetensorsFile file = read_safetensors("eval", model);
  std::string known;
  for (const Task& task : tasks()) {
    const nn::Sequential net = task.network();
    bool fits = true;
    for (const auto& [name, tensor] : net.named_parameters()) {
      const SafetensorsEntry* entry = file.find(name);
      fits = fits && entry && entry->shape == tensor.shape();
    }
    if (fits) return task;
    known += (known.empty() ? "" : ", ") + task.name;
  }
  throw IoError("eval", cat(model, ": is no network that `tidepool train` makes (", known, ")"));
}

data::Dataset dataset(const std::string& name, const Task& task) {
  namespace fs = std::filesystem;
  if (const Task* known = find_task(name)) return known->test ? known->test() : known->train();
  if (fs::is_directory(name)) return data::fashion_mnist_test(name);
  if (fs::exists(name)) return data::csv(name, {.labels = !task.classes.empty()});  // whatever is in its name
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    const std::string x = name.substr(0, comma), y = name.substr(comma + 1);
    return x.ends_with(".npy") ? data::npy(x, y) : data::idx(x, y);
  }
  throw IoError("eval",
                cat("there is no data '", name, "'; wanted ", task.name, ", a folder, a CSV file, or two files with a comma between"));
}

int eval(const EvalOptions& options) {
  use_device(options.device);
  const Task& task = task_of(options.model);
  nn::Sequential net = task.network();
  load(net, options.model);
  optim::SGD unused(net.parameters());
  Trainer trainer(net, unused, task.loss, {.epochs = 1, .batch = 100});
  const EvalResult result = trainer.evaluate(dataset(options.data, task).normalized(task.mean, task.deviation));
  if (options.json) {
    nlohmann::ordered_json document{{"task", task.name}, {"samples", result.samples}, {"loss", result.loss}};
    if (result.classes > 0) {
      document["accuracy"] = result.accuracy;
      document["classes"] = result.classes;
      document["confusion"] = result.confusion;
    }
    std::cout << document.dump() << '\n';
    return done;
  }
  std::cout << task.name << ": " << result.samples << " samples, loss " << result.loss;
  if (result.classes > 0) std::cout << ", accuracy " << result.accuracy << "\n\n" << confusion_table(result, task.classes);
  std::cout << '\n';
  return done;
}

}  // namespace

void add_eval(Parser& parser) {
  Command command = parser.command("eval", "Say how good a network is that `tidepool train --save` wrote");
  const auto options = std::make_shared<EvalOptions>();
  command.text("--model", options->model, "The network, as safetensors", {.type = "F", .required = true});
  command.text("--data", options->data,
               "What to try it on: a task's name, a folder with Fashion-MNIST's files, a CSV file, or two idx or NPY files (x,y)",
               {.type = "D", .required = true});
  add_device_option(command, options->device);
  command.flag("--json", options->json, "One JSON document");
  command.runs([options] { return eval(*options); });
}

}  // namespace tidepool::cli
