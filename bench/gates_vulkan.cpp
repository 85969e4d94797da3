// Products, convolutions and additions on Vulkan, against shaders written for that one case. Of software drivers only newer ones
// are timed: Debian 12's own is four to nine times slower, and not at everything alike.
#include "bench/gate.h"

#ifdef TIDEPOOL_VULKAN

#include <tidepool/tidepool.h>

#include "core/op.h"
#include "device/slot.h"

#include <cstdlib>

namespace tidepool::gates {

namespace {

constexpr std::uint32_t each_words[] = {
#include "shaders/product_each.inc"
};
constexpr std::uint32_t lanes_words[] = {
#include "shaders/product_lanes.inc"
};
constexpr std::uint32_t add_words[] = {
#include "shaders/add_vectors.inc"
};

constexpr std::uint32_t chain_words[] = {
#include "shaders/chain_vectors.inc"
};

constexpr Access r = Access::read, w = Access::write;
constexpr KernelDef each{.name = "product_each", .access = accesses({r, r, w}), .bindings = 3, .group = {16, 16, 1}, .spirv = each_words};
constexpr KernelDef lanes{.name = "product_lanes", .access = accesses({r, r, w}), .bindings = 3, .group = {8, 1, 1}, .spirv = lanes_words};
constexpr KernelDef vectors{.name = "add_vectors", .access = accesses({r, r, w}), .bindings = 3, .group = {256, 1, 1}, .spirv = add_words};
constexpr KernelDef chained{.name = "chain_vectors", .access = accesses({r, w}), .bindings = 2, .group = {256, 1, 1}, .spirv = chain_words};

struct BareParams {
  Shifts shifts;
  std::uint32_t n;
};

std::string why_not() {
  for (const DeviceInfo& info : devices()) {
    if (info.id != "vulkan:0") continue;
    const std::size_t mesa = info.driver.find("Mesa ");
    if (info.kind == "software" && mesa != std::string::npos && std::atoi(info.driver.c_str() + mesa + 5) < 24)
      return info.driver + " is too old to be timed: scripts/with-newer-mesa runs this with a newer one";
    return "";
  }
  return "no Vulkan device";
}

// Three tensors of n floats on the device.
class Bare {
 public:
  explicit Bare(std::int64_t n) : stream_(device_.slot().stream()), a_(make(n)), b_(make(n)), c_(make(n)) {}

  void run(const KernelDef& kernel, std::uint32_t n, const Extent& extent) {
    {
      const StreamLock lock(*stream_);
      stream_->launch(kernel, {read(*a_.node()), read(*b_.node()), write(*c_.node())}, BareParams{.shifts = {}, .n = n}, extent);
    }
    sync();
  }
  const Tensor& a() const { return a_; }
  const Tensor& b() const { return b_; }

 private:
  Tensor make(std::int64_t n) const { return full({n}, 0.5F, {.device = device_}); }
  Device device_ = tidepool::device("vulkan:0");
  std::shared_ptr<Stream> stream_;
  Tensor a_, b_, c_;
};

double product_time(Bare& bare, std::uint32_t side) {
  const Tensor a = bare.a().reshape({side, side}), b = bare.b().reshape({side, side});
  auto once = [&] {
    const Tensor c = matmul(a, b);
    sync();
  };
  return time_of(1, once);
}

}  // namespace

// An eighth of the rows by the plain kernel stand for all: it takes a second otherwise.
template <int side>
Measured measure_vulkan_product_over_plain() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  Bare bare(side * side);
  return compare_samples([&] { return product_time(bare, side); },
                         [&] {
                           auto once = [&] { bare.run(each, side, {side, side / 8, 1}); };
                           return 8 * time_of(1, once);
                         });
}
template Measured measure_vulkan_product_over_plain<512>();
template Measured measure_vulkan_product_over_plain<1024>();

template <int side>
Measured measure_vulkan_product() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  if (device("vulkan:0").slot().stream()->info().lanes != 8) return {.skipped = "the device has no subgroups of eight"};
  Bare bare(side * side);
  return compare_samples([&] { return product_time(bare, side); },
                         [&] {
                           auto once = [&] { bare.run(lanes, side, {side / 2, side / 16, 1}); };
                           return time_of(1, once);
                         });
}
template Measured measure_vulkan_product<512>();
template Measured measure_vulkan_product<1024>();

Measured measure_vulkan_addition() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  constexpr std::uint32_t count = 1 << 20;
  Bare bare(count);
  return compare(
      4,
      [&] {
        const Tensor c = bare.a() + bare.b();
        sync();
      },
      [&] {
        bare.run(vectors, count, {count / 4, 1, 1});
      });
}

// Ten operations that take little time each, as in gates_fusion.cpp.
Measured measure_vulkan_chain() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  constexpr std::uint32_t count = 1 << 20;
  const Device vulkan = device("vulkan:0");
  const Tensor x = rand({count}, {.device = vulkan}), y = zeros({count}, {.device = vulkan}), z = zeros({count}, {.device = vulkan});
  const Plan plan = capture([&] { tidy([&] { copy_(y, abs(relu(-(square(x * 2.0F + 1.0F) * 0.5F - 3.0F) * 0.25F) + 0.125F) * 1.5F); }); });
  if (plan.launches() != 1) return {.skipped = "libtidepool_shaderc.so is not there"};
  const auto stream = vulkan.slot().stream();
  return compare(
      4,
      [&] {
        plan.run();
        sync();
      },
      [&] {
        {
          const StreamLock lock(*stream);
          stream->launch(chained, {read(*x.node()), write(*z.node())}, BareParams{.shifts = {}, .n = count}, {count / 4, 1, 1});
        }
        sync();
      });
}

namespace {

// The time of as many multiplications by the product: 64 images of 16 x 16, 32 to 64 channels, is a product of 64 x 16384 x 288.
struct ConvCase {
  Device vulkan = device("vulkan:0");
  Tensor x = full({64, 32, 16, 16}, 0.5F, {.device = vulkan}), w = full({64, 32, 3, 3}, 0.5F, {.device = vulkan});
  Tensor dy = full({64, 64, 16, 16}, 0.5F, {.device = vulkan});
  Tensor a = full({544, 544}, 0.5F, {.device = vulkan});
  // 2 * 64 * 16384 * 288 operations against 2 * 544^3.
  static constexpr double as_much = 64.0 * 16384 * 288 / (544.0 * 544 * 544);
};

template <class Run>
Measured compare_conv(ConvCase& c, const Run& run) {
  auto ours = [&] {
    run();
    sync();
  };
  auto product = [&] {
    const Tensor made = matmul(c.a, c.a);
    sync();
  };
  return compare_samples([&] { return time_of(1, ours); }, [&] { return ConvCase::as_much * time_of(1, product); });
}

}  // namespace

Measured measure_vulkan_conv() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  ConvCase c;
  return compare_conv(c, [&] { const Tensor y = conv2d(c.x, c.w, {}, {.padding = 1}); });
}
Measured measure_vulkan_conv_input() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  ConvCase c;
  const Tensor dx = zeros_like(c.x);
  return compare_conv(c, [&] { raw::conv2d_bwd_input(c.dy, c.w, {.padding = 1}, dx); });
}
Measured measure_vulkan_conv_weights() {
  if (std::string why = why_not(); !why.empty()) return {.skipped = why};
  ConvCase c;
  const Tensor dw = zeros_like(c.w);
  return compare_conv(c, [&] { raw::conv2d_bwd_weights(c.dy, c.x, {.padding = 1}, dw); });
}

}  // namespace tidepool::gates

#endif
