// The table of a network: one line for each layer that computes something itself.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/memory.h>

#include "nn/state.h"
#include "platform/bytes.h"
#include "platform/cat.h"

#include <array>
#include <map>
#include <set>

namespace tidepool::inline v0::nn {

namespace {

struct Row {
  std::string name, kind, output, parameters, memory;
};

struct Count {
  std::int64_t numbers = 0;
  std::size_t bytes = 0;
  void add(const Tensor& tensor) {
    numbers += tensor.numel();
    bytes += tensor.nbytes();
  }
};

// A tensor that several modules have counts where it is met first.
class Once {
 public:
  void add(Count& count, const Tensor& tensor) {
    if (seen_.insert(tensor.node()).second) count.add(tensor);
  }

 private:
  std::set<const Node*> seen_;
};

Count count_once(const NamedTensors& tensors) {
  Count count;
  Once once;
  for (const auto& [name, tensor] : tensors) once.add(count, tensor);
  return count;
}

std::string table(const std::vector<Row>& rows) {
  const auto cells = [](const Row& row) { return std::array{&row.name, &row.kind, &row.output, &row.parameters, &row.memory}; };
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], cells(row)[i]->size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string& cell = *cells(row)[i];
      const std::string space(widths[i] - cell.size(), ' ');
      if (i > 0) line += "  ";
      line += i < 3 ? cell + space : space + cell;  // numbers to the right
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

// Runs it on zeros; as indices where the first layer wants those.
void run_on_zeros(const Module& module, const Shape& input) {
  const auto run = [&](DType type) {
    const Tidy scope;
    const NoGrad guard;
    const std::vector<Tensor> parameters = module.parameters();
    module(zeros(input, {.dtype = type, .device = parameters.empty() ? default_device() : parameters[0].device()}));
  };
  try {
    run(DType::f32);
  } catch (const DTypeError&) {
    run(DType::i32);
  }
}

}  // namespace

std::string Module::summary(const Shape& input) const {
  std::map<const ModuleState*, std::string> names;
  for (const auto& [name, state] : named_modules(*this)) names.emplace(state, name);
  std::vector<Row> rows{{"layer", "kind", "output", "parameters", "memory"}};
  Once once;
  std::size_t activations = 0;
  std::vector<Row> seen;
  const auto observe = [&](const Module& part, const Tensor&, const Tensor& y) {
    const ModuleState& state = ModuleAccess::state(part);
    activations += y.nbytes();
    if (!state.parts.empty() && state.tensors.empty()) return;  // its parts have lines
    Count all, own;
    for (const ModuleState::Entry& entry : state.tensors) {
      all.add(entry.tensor);
      once.add(own, entry.tensor);
    }
    const auto name = names.find(&state);
    seen.push_back({name == names.end() || name->second.empty() ? "-" : name->second, part.kind(), y.shape().str(),
                    own.numbers > 0 ? with_commas(own.numbers) : (all.numbers > 0 ? "shared" : ""),
                    own.numbers == 0 ? "" : readable_bytes(own.bytes)});
  };
  {
    const TrainingScope evaluating(*this, false);
    const ObserverScope scope(observe);
    run_on_zeros(*this, input);
  }
  rows.insert(rows.end(), seen.begin(), seen.end());
  const Count parameters = count_once(named_parameters()), buffers = count_once(named_buffers());
  std::string text = table(rows);
  text += cat("\n", with_commas(parameters.numbers), " parameters (", readable_bytes(parameters.bytes), ")");
  if (buffers.numbers) text += cat(", ", with_commas(buffers.numbers), " numbers kept beside them");
  return text + cat("; outputs of all layers ", readable_bytes(activations), " for an input of ", input, "\n");
}

}  // namespace tidepool::inline v0::nn
