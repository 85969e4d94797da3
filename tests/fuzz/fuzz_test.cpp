// The short form of what scripts/fuzz does for minutes: every target gets its kept inputs, and some that were changed by chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fuzz/target.h"
#include "support/files.h"

namespace tidepool::fuzz {
namespace {

std::vector<std::filesystem::path> kept_inputs(const std::string& name) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TIDEPOOL_SOURCE_DIR) + "/tests/fuzz/corpus/" + name))
    all.push_back(entry.path());
  std::ranges::sort(all);  // so that the same changes are made everywhere
  return all;
}

// What makes the failure again, where it is not too long to be read.
std::string shown(const std::string& bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 2000)) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code < 0x7f)
      text += c;
    else
      text.append("\\x") += {digits[code >> 4], digits[code & 15U]};
  }
  return text;
}

class Fuzz : public testing::TestWithParam<const Target*> {
 protected:
  static void give(const std::string& bytes, const std::string& from) {
    try {
      (*GetParam())(bytes);
    } catch (const std::exception& error) {
      ADD_FAILURE() << GetParam()->name() << ", " << from << ": " << error.what() << "\ninput: " << shown(bytes);
    }
  }
};

TEST_P(Fuzz, TakesOrRefusesEveryKeptInput) {
  const auto inputs = kept_inputs(GetParam()->name());
  EXPECT_GE(inputs.size(), 5U);
  for (const auto& path : inputs) give(contents(path.string()), path.filename().string());
  give("", "nothing at all");
}

class Changes {
 public:
  explicit Changes(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  std::string next() {
    std::string text = any();
    for (std::size_t count = 1 + below(4); count > 0; --count) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }
  char byte() { return below(2) == 0 ? static_cast<char>(random_()) : "\0\xff\x7f\x80 \n\"{}[](),:'-+.0129eEx"[below(25)]; }
  const std::string& any() { return inputs_[below(inputs_.size())]; }
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1), length = std::min(below(16) + 1, text.size() - at);
    switch (below(7)) {
      case 0:
        text.insert(at, 1, byte());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text, at, length);
        break;
      case 3:
        text.resize(at);
        break;
      case 4: {  // the end of another
        const std::string& other = any();
        text.replace(at, text.size() - at, other, below(other.size() + 1));
        break;
      }
      case 5:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(8));
        break;
      default:
        if (at < text.size()) text[at] = byte();
    }
  }
  std::vector<std::string> inputs_;
  std::mt19937 random_{1};
};

TEST_P(Fuzz, TakesOrRefusesChangedInputs) {
  std::vector<std::string> inputs;
  for (const auto& path : kept_inputs(GetParam()->name())) inputs.push_back(contents(path.string()));
  Changes changes(std::move(inputs));
  for (int i = 0; i < GetParam()->tries() && !HasFailure(); ++i) give(changes.next(), "change " + std::to_string(i));
}

INSTANTIATE_TEST_SUITE_P(Of, Fuzz, testing::ValuesIn(Target::all()), [](const auto& info) { return info.param->name(); });

}  // namespace
}  // namespace tidepool::fuzz
