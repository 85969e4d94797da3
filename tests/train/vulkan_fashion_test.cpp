// Fashion-MNIST on Vulkan beside the CPU, from the same seed.
#include <gtest/gtest.h>

#include <tidepool/tidepool.h>

#include "cli/networks.h"
#include "support/devices.h"

namespace tidepool {
namespace {

class VulkanFashion : public LibraryTest {
 protected:
  // The mean loss of every `each` steps.
  static std::vector<double> losses(const char* id, const data::Dataset& images, std::int64_t each) {
    set_default_device(device(id));
    manual_seed(1);
    nn::Sequential net = cli::fashion_network();
    optim::Adam adam(net.parameters(), {.lr = 1e-3});
    std::vector<double> means;
    for (std::int64_t from = 0; from < images.size(); from += each * 32) {
      Trainer trainer(net, adam, cross_entropy, {.epochs = 1, .batch = 32, .shuffle = false});
      means.push_back(trainer.fit(images.slice(from, from + each * 32)).epochs[0].loss);
    }
    set_default_device(device("cpu"));
    return means;
  }

  static void compare(std::int64_t images, std::int64_t each, double tolerance) {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    data::Dataset all;
    try {
      all = data::fashion_mnist_train();
    } catch (const IoError& error) {
      GTEST_SKIP() << error.what();
    }
    const data::Dataset some = all.slice(0, images).normalized(0.286, 0.353);
    const std::vector<double> cpu = losses("cpu", some, each), vulkan = losses("vulkan:0", some, each);
    ASSERT_EQ(cpu.size(), vulkan.size());
    for (std::size_t i = 0; i < cpu.size(); ++i)
      EXPECT_NEAR(vulkan[i], cpu[i], tolerance * cpu[i]) << "after " << (i + 1) * 32 * static_cast<std::size_t>(each);
    EXPECT_LT(vulkan.back(), vulkan.front());
  }
};

TEST_F(VulkanFashion, TheFirstStepsAreThoseOfTheCpu) { compare(192, 2, 1e-4); }
// Rounding grows with every step: by then one thread of the CPU and two differ by half a percent.
TEST_F(VulkanFashion, SlowThreeThousandImagesAreLearnedAsOnTheCpu) { compare(3072, 8, 2e-2); }

}  // namespace
}  // namespace tidepool
