#include <tidepool/kernel.h>

#include <tidepool/error.h>

#include "backend/cpu/team.h"
#include "core/checks.h"
#include "core/op.h"
#include "device/capture.h"
#include "ops/kernel/own_kernel.h"
#include "ops/layout/layout.h"
#include "platform/cat.h"

#include <array>
#include <exception>
#include <mutex>
#include <optional>

namespace tidepool::inline v0 {

std::int64_t KernelCall::size() const { return call_.extent.x; }

const std::byte* KernelCall::param_bytes(std::size_t wanted) const {
  if (((wanted + 3) & ~std::size_t{3}) != call_.param_size)
    throw ArgumentError(kernel_.name,
                        cat("the CPU function reads ", wanted, " bytes of parameters; it was called with ", call_.param_size));
  return call_.param_bytes;
}

std::span<std::byte> KernelCall::bytes_of(std::int64_t i) const {
  if (i < 0 || i >= kernel_.def.bindings)
    throw ArgumentError(kernel_.name, cat("the CPU function wants buffer ", i, "; there are 0 to ", kernel_.def.bindings - 1));
  const auto at = static_cast<std::size_t>(i);
  return {call_.buffers[at], call_.bytes[at]};
}

// An exception must not leave a thread of the team.
void KernelCall::parallel(const std::function<void(std::int64_t, std::int64_t)>& work, std::int64_t grain) const {
  std::mutex mutex;
  std::exception_ptr thrown;
  call_.team->run(call_.extent.x, static_cast<std::size_t>(std::max<std::int64_t>(grain, 1)), [&](std::size_t begin, std::size_t end) {
    try {
      work(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
}

namespace {

struct OwnCall {
  std::shared_ptr<OwnKernel> kernel;
  std::int64_t items;
  std::span<const std::byte> params;
  std::array<std::size_t, max_bindings> place;  // of each binding, among the nodes: those that are written come first
};

// A tensor where the device can bind it: itself, or a copy for as long as the call takes.
class Bound {
 public:
  Bound(Stream& stream, const Node& node, Access access) : stream_(stream), node_(node), access_(access) {
    if (node.offset % stream.info().offset_alignment == 0 || node.numel == 0) return;
    copy_.emplace(*node.slot);
    copy_->become_like(node);
    copy_->storage = stream.take((node.bytes() + 3) & ~std::size_t{3}, MemoryTag::scratch, "kernel");
    launch_copy(stream, node, *copy_);
  }
  Operand operand() const { return tidepool::operand(copy_ ? *copy_ : node_, access_); }
  void write_back() const {
    if (copy_ && writes(access_)) launch_copy(stream_, *copy_, node_);
  }

 private:
  Stream& stream_;
  const Node& node_;
  Access access_;
  std::optional<Node> copy_;
};

struct OwnCallAt {  // as Attrs hold it
  const OwnCall* call;
};

void run_own(std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
  const OwnCall& call = *attrs.as<OwnCallAt>().call;
  OwnKernel& kernel = *call.kernel;
  kernel.make_ready(stream);
  kernel.check_params(call.params.size(), stream.info().shaders);
  if (call.items == 0) return;
  if (Capture* capture = Capture::current()) capture->keep(call.kernel);
  std::array<std::optional<Bound>, max_bindings> bound;
  std::array<Operand, max_bindings> operands;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bound[i].emplace(stream, *nodes[call.place[i]], kernel.def.access[i]);
    operands[i] = bound[i]->operand();
  }
  stream.launch_made(kernel.def, std::span(operands).first(nodes.size()), call.params, per_element(call.items));
  for (std::size_t i = 0; i < nodes.size(); ++i) bound[i]->write_back();
  kernel.called_with(call.params.size());
}

[[noreturn]] void empty_kernel() { throw ReleasedError("kernel", "the kernel is empty; make it from KernelOptions"); }

}  // namespace

Kernel::Kernel(const KernelOptions& options) {
  forget_made_kernels(most_set_aside);
  kernel_ = make_kernel<OwnKernel>(options);
}

const std::string& Kernel::name() const {
  if (!kernel_) empty_kernel();
  return kernel_->name;
}

void Kernel::launch(std::int64_t n, std::span<const std::byte> params, std::span<const Tensor> tensors) const {
  if (!kernel_) empty_kernel();
  const KernelDef& def = kernel_->def;
  const char* const operation = def.name;
  if (tensors.size() != def.bindings) throw ArgumentError(operation, cat("got ", tensors.size(), " tensors; wanted ", int{def.bindings}));
  if (n < 0 || n > most_elements) throw ArgumentError(operation, cat("n is ", n, "; wanted 0 to ", most_elements, " work items"));
  OwnCall call{kernel_, n, params, {}};
  std::array<const Tensor*, max_bindings> ordered{};
  std::size_t written = 0, next = 0;
  for (const bool writing : {true, false})
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (writes(def.access[i]) == writing) {
        ordered[next] = &tensors[i];
        call.place[i] = next++;
        written += writing;
      }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Node& node = usable(operation, tensors[i]);
    if (!writes(def.access[i])) continue;
    for (std::size_t other = 0; other < tensors.size(); ++other)
      if (other != i) require_apart(operation, "what it writes", node, {&usable(operation, tensors[other])});
  }
  apply_in_place(operation, std::span(ordered).first(tensors.size()), written, nullptr, run_own, Attrs(OwnCallAt{&call}));
}

}  // namespace tidepool::inline v0
