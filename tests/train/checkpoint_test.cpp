// What a checkpoint says is checked before anything is done with it, each of its fields.
#include "train/checkpoint.h"

#include <fstream>

#include "io/safetensors.h"
#include "support/errors.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class CheckpointFile : public TrainTest {
 protected:
  void SetUp() override {
    TrainTest::SetUp();
    SmallRun run({.epochs = 2, .batch = 16, .checkpoint = written_, .keep_best = true});
    run.trainer.fit(two_classes(), two_classes(20));
  }

  // What resuming says, and then training, of the checkpoint with something changed and its checksum put right.
  template <class Change>
  std::string problem(const Change& change) {
    const SafetensorsFile from = read_safetensors("test", written_);
    SafetensorsMetadata metadata = from.metadata();
    std::vector<SafetensorsTensor> tensors;
    for (const SafetensorsEntry& entry : from.entries())
      tensors.push_back({entry.name, entry.dtype == "I32" ? DType::i32 : DType::f32, entry.shape, from.bytes(entry)});
    change(metadata, tensors);
    metadata["checksum"] = checkpoint_checksum(metadata, tensors);
    write_safetensors("test", changed_, metadata, tensors);
    SmallRun run({.epochs = 2, .batch = 16, .keep_best = true});
    const std::string said = message_of<IoError>([&] {
      run.trainer.resume(changed_);
      run.trainer.fit(two_classes(), two_classes(20));
    });
    const std::string begin = "resume: " + changed_ + ": ";
    EXPECT_EQ(said.substr(0, begin.size()), begin);
    return said.substr(std::min(said.size(), begin.size()));
  }
  std::string problem_with(const std::string& key, const std::string& value) {
    return problem([&](SafetensorsMetadata& metadata, auto&) {
      EXPECT_TRUE(metadata.contains(key));
      metadata[key] = value;
    });
  }

  const std::string written_ = path("run.ckpt"), changed_ = path("changed.ckpt");
};

TEST_F(CheckpointFile, WithFieldsThatAreNoNumbersIsRefused) {
  EXPECT_EQ(problem_with("step", "ten"), "'step' is 'ten'; wanted a number");
  EXPECT_EQ(problem_with("step", "10 "), "'step' is '10 '; wanted a number");
  EXPECT_EQ(problem_with("seconds", ""), "'seconds' is ''; wanted a number");
  EXPECT_EQ(problem_with("random.seed", "-1"), "'random.seed' is '-1'; wanted a number");
}

TEST_F(CheckpointFile, WithFieldsOutOfRangeIsRefused) {
  EXPECT_EQ(problem_with("epoch", "-1"), "'epoch' is -1; wanted 0 to 2^53");
  EXPECT_EQ(problem_with("step", "9007199254740993"), "'step' is 9007199254740993; wanted 0 to 2^53");
  EXPECT_EQ(problem_with("batch_size", "0"), "'batch_size' is 0; wanted 1 to 2^53");
  EXPECT_EQ(problem_with("micro_batch", "9007199254740993"), "'micro_batch' is 9007199254740993; wanted 1 to 2^53");
  EXPECT_EQ(problem_with("best_epoch", "3"), "'best_epoch' is 3 of 2 epochs");
  EXPECT_EQ(problem_with("seconds", "-1"), "'seconds' is -1; wanted 0 to 1e+09");
  EXPECT_EQ(problem_with("seconds", "1e10"), "'seconds' is 1e+10; wanted 0 to 1e+09");
  EXPECT_EQ(problem_with("lr", "inf"), "'lr' is inf; wanted a finite number");
  EXPECT_EQ(problem_with("batch", "5"), "batch 5 of an epoch of 5");
}

TEST_F(CheckpointFile, WithEpochsThatCannotBeReadIsRefused) {
  EXPECT_EQ(problem_with("epochs", "one"), "'epochs' cannot be read at byte 0");
  EXPECT_EQ(problem_with("epochs", "1 0.5 0.5 0.5 0.5 0.5"), "'epochs' cannot be read at byte 21");
}

TEST_F(CheckpointFile, MayHaveItsEpochsOnOneLine) {
  EXPECT_EQ(problem_with("epochs", "1 .5 .5 .5 .5 .5 .5 2 .5 .5 .5 .5 .5 .5 x"), "'epochs' cannot be read at byte 40");
  EXPECT_EQ(problem([](SafetensorsMetadata& metadata, auto&) {
              metadata["epochs"] = "1 .5 .5 .5 .5 .5 .5 2 .5 .5 .5 .5 .5 .5";
              metadata["best_epoch"] = "3";
            }),
            "'best_epoch' is 3 of 2 epochs");
}

TEST_F(CheckpointFile, WithATensorOfAnotherTypeIsRefused) {
  EXPECT_HAS(problem([](auto&, std::vector<SafetensorsTensor>& tensors) {
               for (SafetensorsTensor& tensor : tensors)
                 if (tensor.dtype == DType::f32) tensor.dtype = DType::i32;
             }),
             " of i32; wanted ");
}

TEST_F(CheckpointFile, OfAnotherFormatOrTypeIsRefused) {
  EXPECT_HAS(problem_with("tidepool.checkpoint", "99"), "is of format '99'; this version reads ");
  std::string bytes = contents(written_);
  bytes.replace(bytes.find("I32"), 3, "U32");
  std::ofstream(changed_, std::ios::binary) << bytes;
  EXPECT_HAS(message_of<IoError>([&] { read_checkpoint(changed_); }), " is U32; a checkpoint has F32, F16, I32 and U8");
}

TEST_F(CheckpointFile, WithATensorMoreOrLessIsRefused) {
  EXPECT_HAS(problem([](auto&, std::vector<SafetensorsTensor>& tensors) {
               std::erase_if(tensors, [](const SafetensorsTensor& tensor) { return tensor.name.ends_with("0.weight"); });
             }),
             "has no '0.weight' [4, 1, 3, 3]; is it of another network?");
  EXPECT_EQ(problem([](auto&, std::vector<SafetensorsTensor>& tensors) {
              tensors.push_back(tensors[0]);
              tensors.back().name = "extra";
            }),
            "has 'extra', which the network has not");
}

}  // namespace
}  // namespace tidepool::inline v0
