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

Count own_count(const ModuleState& state) {
  Count count;
  for (const ModuleState::Entry& entry : state.tensors) count.add(entry.tensor);
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
void run_on_zeros(Module& module, const Shape& input) {
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

std::string Module::summary(const Shape& input) {
  std::map<const ModuleState*, std::string> names;
  for (const auto& [name, state] : named_modules(*this)) names.emplace(state, name);
  std::vector<Row> rows{{"layer", "kind", "output", "parameters", "memory"}};
  std::set<const ModuleState*> counted;
  std::size_t activations = 0;
  std::vector<Row> seen;
  const auto observe = [&](const Module& part, const Tensor&, const Tensor& y) {
    const ModuleState& state = ModuleAccess::state(part);
    activations += y.nbytes();
    const bool first = counted.insert(&state).second;
    if (!state.parts.empty() && state.tensors.empty()) return;  // its parts have lines
    const Count count = own_count(state);
    const auto name = names.find(&state);
    seen.push_back({name == names.end() || name->second.empty() ? "-" : name->second, part.kind(), y.shape().str(),
                    count.numbers == 0 ? "" : (first ? with_commas(count.numbers) : "shared"),
                    count.numbers == 0 || !first ? "" : readable_bytes(count.bytes)});
  };
  {
    const TrainingScope evaluating(*this, false);
    const ObserverScope scope(observe);
    run_on_zeros(*this, input);
  }
  rows.insert(rows.end(), seen.begin(), seen.end());
  Count parameters;
  Count buffers;
  for (const auto& [name, tensor] : named_parameters()) parameters.add(tensor);
  for (const auto& [name, tensor] : named_buffers()) buffers.add(tensor);
  std::string text = table(rows);
  text += cat("\n", with_commas(parameters.numbers), " parameters (", readable_bytes(parameters.bytes), ")");
  if (buffers.numbers) text += cat(", ", with_commas(buffers.numbers), " numbers kept beside them");
  return text + cat("; outputs of all layers ", readable_bytes(activations), " for an input of ", input, "\n");
}

}  // namespace tidepool::inline v0::nn
