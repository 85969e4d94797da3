// A program that speaks German writes 0,5 and 1.000. Files, messages and figures of the library stay what they are.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <nlohmann/json.hpp>

#include "cli/networks.h"
#include "support/child.h"
#include "support/devices.h"
#include "support/files.h"

namespace tidepool::stress {
namespace {

struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class Locales : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    before_ = std::locale::global(std::locale(std::locale::classic(), new German));
  }
  void TearDown() override {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
    LibraryTest::TearDown();
  }

  void look_at_everything() const {
    EXPECT_EQ((Shape{1000, 20000}).str(), "[1000, 20000]");
    EXPECT_HAS(message_of<ShapeError>([] { ones({1000, 2}) + ones({3000, 2}); }), "[1000, 2]");
    files();
    watching();
  }

 private:
  void files() const {
    std::ofstream csv(folder_.path("numbers.csv"));
    csv.imbue(std::locale::classic());
    csv << "a,b,target\n0.5,-1.25,2.5\n1e-3,1000.75,-0.125\n";
    csv.close();
    const data::Dataset read = data::csv(folder_.path("numbers.csv"));
    auto [x, y] = *data::Loader(read, {.batch = 2}).begin();
    EXPECT_EQ(x.to_host<float>(), (std::vector<float>{0.5F, -1.25F, 1e-3F, 1000.75F}));

    nn::Sequential net = cli::sine_network(), same = cli::sine_network();
    save(net, folder_.path("net.safetensors"));
    load(same, folder_.path("net.safetensors"));
    EXPECT_EQ(same.parameters()[0].to_host<float>(), net.parameters()[0].to_host<float>());
    EXPECT_HAS(net.summary({1, 1}), "769");

    optim::Adam opt(net.parameters(), {.lr = 0.0125});
    const Tensor in = rand({8, 1}), out = in * 2.0F;
    const auto samples = data::from_tensors(in, out);
    Trainer(net, opt, mse_loss, {.epochs = 2, .batch = 4, .checkpoint = folder_.path("run.ckpt")}).fit(samples);
    nn::Sequential again = cli::sine_network();
    optim::Adam same_opt(again.parameters(), {.lr = 0.0125});
    Trainer resumed(again, same_opt, mse_loss, {.epochs = 3, .batch = 4});
    resumed.resume(folder_.path("run.ckpt"));
    const TrainResult result = resumed.fit(samples);
    EXPECT_EQ(result.epochs.size(), 3U) << "those of before are in the file";
    EXPECT_EQ(result.steps, 6);
  }

  void watching() const {
    monitor::enable();
    monitor::record("my figure", 1234.5);
    const Tensor x = rand({2000, 3});
    sum(x * x).item();
    const std::string text = monitor::prometheus_text();
    EXPECT_HAS(text, "1234.5");
    EXPECT_EQ(text.find("1.234"), std::string::npos);
    EXPECT_EQ(text.find("234,5"), std::string::npos);
    monitor::write_trace(folder_.path("trace.json"));
    monitor::write_report(folder_.path("report.html"));
    monitor::disable();
    const auto trace = nlohmann::json::parse(contents(folder_.path("trace.json")), nullptr, false);
    EXPECT_FALSE(trace.is_discarded()) << "no JSON";
  }

  std::locale before_;
  TemporaryFolder folder_;
};

TEST_F(Locales, WithACommaForStreamsChangeNothing) { look_at_everything(); }

// C's own functions follow setlocale. German is made for this test where its sources are installed.
TEST_F(Locales, WithACommaForPrintfChangeNothing) {
  if (!is_child()) {
    const TemporaryFolder folder;
    const std::string make = "localedef -i de_DE -f UTF-8 '" + folder.path("de_DE.UTF-8") + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "localedef cannot make de_DE.UTF-8: install Debian's package locales";  // NOLINT
    EXPECT_EQ(run_this_test_again("LOCPATH='" + folder.name() + "'"), 0);
    return;
  }
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", 0.5);
  ASSERT_STREQ(text, "0,5") << "the locale has no comma, so nothing is tested";
  look_at_everything();
}

}  // namespace
}  // namespace tidepool::stress
