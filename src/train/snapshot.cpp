#include "train/snapshot.h"

#include "core/node.h"
#include "core/transfer.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

NamedTensors tensors_of(const nn::Module& net) {
  NamedTensors all = net.named_parameters();
  for (auto& buffer : net.named_buffers()) all.push_back(std::move(buffer));
  return all;
}

NamedTensors trained_tensors(const nn::Module& net, const optim::Optimizer& optimizer) {
  NamedTensors all = tensors_of(net);
  const std::size_t of_net = all.size();
  const std::vector<Tensor>& parameters = optimizer.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto is_parameter = [&](const auto& named) { return named.second.node() == parameters[i].node(); };
    if (std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of_net), is_parameter))
      all.emplace_back(cat("optimizer/parameter.", i), parameters[i]);
  }
  return all;
}

NamedTensors tensors_to_keep(const nn::Module& net, const optim::Optimizer& optimizer, const Tensor& sums) {
  NamedTensors all = trained_tensors(net, optimizer);
  for (const auto& [name, tensor] : optimizer.state()) all.emplace_back("optimizer/" + name, tensor);
  if (sums.defined()) all.emplace_back("fit/sums", sums);
  return all;
}

void download_all(const NamedTensors& from, std::vector<SavedTensor>& to) {
  to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto& [name, tensor] = from[i];
    SavedTensor& saved = to[i];
    saved.name = name;
    saved.dtype = tensor.dtype();
    saved.shape = tensor.shape();
    saved.bytes.resize(tensor.nbytes());
    download_bytes("fit", tensor, saved.bytes);
  }
}

void upload_all(const std::vector<SavedTensor>& from, const NamedTensors& to) {
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) upload_bytes("fit", to[i].second, from[i].bytes);
}

}  // namespace tidepool::inline v0
