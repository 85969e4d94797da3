// The record as JSON: what is written comes back, and what is no record is refused.
#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "monitor/full_record.h"

namespace tidepool::inline v0::monitor {
namespace {

using Json = nlohmann::ordered_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string refusal(const std::string& text) {
  try {
    run_from_json(text);
  } catch (const IoError& error) {
    return error.what();
  }
  return "accepted";
}

// The document with one value changed.
std::string with(const char* pointer, const Json& value) {
  Json document = Json::parse(to_json(full_record()));
  document[Json::json_pointer(pointer)] = value;
  return document.dump();
}

TEST(RecordJson, AFullRecordComesBackAsItWas) {
  const RunRecord run = full_record();
  const std::string text = to_json(run);
  const RunRecord back = run_from_json(text);
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.started, run.started);
  EXPECT_TRUE(back.running);
  EXPECT_EQ(back.device.memory_total, std::size_t{8} << 30);
  EXPECT_EQ(back.settings.max_cached_per_class, 8);
  ASSERT_TRUE(back.training.has_value());
  EXPECT_EQ(back.training->batches, 938);
  ASSERT_EQ(back.samples.size(), 2U);
  EXPECT_EQ(back.samples[0].by_tag, run.samples[0].by_tag);
  EXPECT_EQ(back.samples[0].loss, 0.1);
  EXPECT_TRUE(std::isnan(*back.samples[1].loss));
  EXPECT_FALSE(back.samples[1].utilisation.has_value());
  EXPECT_TRUE(back.epochs[0].has_test && back.epochs[0].has_accuracy);
  EXPECT_EQ(back.epochs[0].test_accuracy, 0.5);
  EXPECT_FALSE(back.epochs[1].has_test || back.epochs[1].has_accuracy);
  EXPECT_EQ(back.kernels[1].timed, 32U);
  EXPECT_EQ(back.anomalies[0].kind, Anomaly::leak);
  EXPECT_TRUE(std::isnan(back.anomalies[1].value));
  EXPECT_EQ(back.advice[0].setting, "--batch 256");
  EXPECT_FALSE(back.forecast.memory_full.has_value());
  EXPECT_EQ(back.forecast.training_end->high, 120);
  EXPECT_EQ(back.pool->regions[0].blocks[1].tag, -1);
  EXPECT_EQ(back.pool->left_out, 17U);
  EXPECT_EQ(back.figures.at("my figure").p99, 3.9);
  EXPECT_EQ(back.cost.background_seconds, 0.02);
}

TEST(RecordJson, TheKeysAreInTheOrderThatIsAgreed) {
  const Json document = Json::parse(to_json(full_record()));
  std::string keys;
  for (const auto& [key, value] : document.items()) keys += key + ' ';
  EXPECT_EQ(keys,
            "format version started time running device settings training tags samples epochs kernels operations anomalies advice forecast "
            "events pool figures cost ");
  std::string of_sample;
  for (const auto& [key, value] : document["samples"][0].items()) of_sample += key + ' ';
  EXPECT_EQ(
      of_sample,
      "time device tensors live reserved cached peak limit by_tag launches flushes plan_runs allocations reuses evictions "
      "transfers transfer_bytes compute_ms transfer_ms wait_ms utilisation system_utilisation epoch steps step_ms loader_ms loss accuracy "
      "samples_per_second ");
  EXPECT_EQ(document["format"], "tidepool run 1");
  EXPECT_EQ(document["tags"].dump(), R"(["activations","parameters","gradients","optimizer","plan","scratch"])");
  EXPECT_EQ(document["pool"]["regions"][0]["blocks"][0].dump(), R"([0,1024,1,"conv2d"])");
}

TEST(RecordJson, AnEmptyRecordHasEveryKeyAndComesBack) {
  const std::string text = to_json(RunRecord{});
  const Json document = Json::parse(text);
  EXPECT_TRUE(document["training"].is_null());
  EXPECT_TRUE(document["pool"].is_null());
  EXPECT_TRUE(document["forecast"]["memory_full"].is_null());
  EXPECT_EQ(document["samples"].dump(), "[]");
  EXPECT_EQ(document["figures"].dump(), "{}");
  EXPECT_EQ(to_json(run_from_json(text)), text);
}

TEST(RecordJson, ALossThatIsNotFiniteIsAStringAndOtherFiguresAreNull) {
  RunRecord run = full_record();
  run.samples[0].loss = infinity;
  run.samples[0].step_ms = infinity;
  run.epochs[0].loss = -infinity;
  run.epochs[0].test_loss = nan;
  run.epochs[0].test_accuracy = nan;
  const std::string text = to_json(run);
  const Json document = Json::parse(text);
  EXPECT_EQ(document["samples"][0]["loss"], "inf");
  EXPECT_EQ(document["samples"][1]["loss"], "nan");
  EXPECT_TRUE(document["samples"][0]["step_ms"].is_null());
  EXPECT_EQ(document["epochs"][0]["loss"], "-inf");
  EXPECT_EQ(document["epochs"][0]["test_loss"], "nan");
  EXPECT_TRUE(document["epochs"][0]["test_accuracy"].is_null());
  EXPECT_TRUE(document["anomalies"][1]["value"].is_null());
  const RunRecord back = run_from_json(text);
  EXPECT_EQ(back.samples[0].loss, infinity);
  EXPECT_EQ(back.epochs[0].loss, -infinity);
  EXPECT_TRUE(std::isnan(back.epochs[0].test_loss));
  EXPECT_TRUE(back.epochs[0].has_test);
}

TEST(RecordJson, NamesThatAreNotUtf8AreReplaced) {
  RunRecord run = full_record();
  run.device.name = "bad \xff name";
  run.figures["also \xc3"] = {};
  const RunRecord back = run_from_json(to_json(run));
  EXPECT_EQ(back.device.name, "bad \xef\xbf\xbd name");
  EXPECT_TRUE(back.figures.contains("also \xef\xbf\xbd"));
}

TEST(RecordJson, AnUpdateHasWhatIsNewerThanTheTime) {
  const RunRecord run = full_record();
  const Json update = Json::parse(update_json(run, 11, false));
  EXPECT_EQ(update["samples"].size(), 1U);
  EXPECT_EQ(update["samples"][0]["time"], 12);
  EXPECT_EQ(update["epochs"].size(), 1U);
  EXPECT_EQ(update["events"].size(), 1U);
  EXPECT_EQ(update["anomalies"].size(), 1U);
  EXPECT_EQ(update["kernels"].size(), 2U) << "all else is as it is";
  EXPECT_EQ(update["advice"].size(), 1U);
  EXPECT_TRUE(update["pool"].is_null());
  EXPECT_EQ(Json::parse(update_json(run, 11, true))["pool"]["left_out"], 17);
  EXPECT_EQ(update_json(run, -1, true), to_json(run));
}

TEST(RecordJson, AbsentKeysAreFineAndUnknownOnesAreIgnored) {
  const RunRecord run = run_from_json(R"({"format":"tidepool run 1","later":{"a":[1]},"samples":[{"time":1,"smell":"good"}]})");
  ASSERT_EQ(run.samples.size(), 1U);
  EXPECT_EQ(run.samples[0].time, 1);
  EXPECT_FALSE(run.samples[0].loss.has_value());
  EXPECT_FALSE(run.training.has_value());
}

TEST(RecordJson, WhatIsNoRecordIsAnIoErrorThatSaysWhere) {
  EXPECT_NE(refusal("").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("{\"format\":").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("{\"format\":\"tidepool run 1\",\"time\":1e999}").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal("\xff\xfe").find("not JSON"), std::string::npos);
  EXPECT_EQ(refusal("[1,2]"), "run: the record: got a list of 2, wanted an object");
  EXPECT_EQ(refusal("{}"), "run: format: got null, wanted \"tidepool run 1\"");
  EXPECT_EQ(refusal(with("/format", "tidepool run 2")), "run: format: got \"tidepool run 2\", wanted \"tidepool run 1\"");
  EXPECT_EQ(refusal(with("/samples/1/live", -1)), "run: samples[1].live: got -1, wanted a whole number from 0");
  EXPECT_EQ(refusal(with("/samples/1/live", 1.5)), "run: samples[1].live: got 1.5, wanted a whole number from 0");
  EXPECT_EQ(refusal(with("/samples/0/loss", "huge")), "run: samples[0].loss: got \"huge\", wanted a number");
  EXPECT_EQ(refusal(with("/samples/0/by_tag/2", "a")), "run: samples[0].by_tag[2]: got \"a\", wanted a whole number from 0");
  EXPECT_EQ(refusal(with("/samples/0/by_tag/6", 1)), "run: samples[0].by_tag: got a list of 7, wanted a list of 6");
  EXPECT_EQ(refusal(with("/samples", 7)), "run: samples: got 7, wanted a list of at most 100000");
  EXPECT_EQ(refusal(with("/training/epochs", UINT64_MAX)),
            "run: training.epochs: got 18446744073709551615, wanted a whole number of 64 bits");
  EXPECT_EQ(refusal(with("/running", 1)), "run: running: got 1, wanted true or false");
  EXPECT_EQ(refusal(with("/device/name", nullptr)), "run: device.name: got null, wanted a string");
  EXPECT_EQ(refusal(with("/tags/0", "spice")), "run: tags[0]: got \"spice\", wanted activations");
  EXPECT_EQ(refusal(with("/pool/regions/0/blocks/0/2", 6)), "run: pool.regions[0].blocks[0][2]: got 6, wanted a tag from -1 to 5");
  EXPECT_EQ(refusal(with("/pool/regions/0/blocks/0", 6)),
            "run: pool.regions[0].blocks[0]: got 6, wanted a list of offset, bytes, tag and holder");
  EXPECT_EQ(refusal(with("/anomalies/0/kind", "boredom")),
            "run: anomalies[0].kind: got \"boredom\", wanted one of step_time memory leak loss loader evictions");
  EXPECT_EQ(refusal(with("/figures/my figure/count", "x")), "run: figures[0].count: got \"x\", wanted a whole number from 0");
}

TEST(RecordJson, AHostileDocumentMakesAShortMessage) {
  EXPECT_LT(refusal(with("/device/id", Json::array({std::string(100000, 'x')}))).size(), 200U);
  EXPECT_LT(refusal(with("/time", std::string(100000, 'x'))).size(), 200U);
  EXPECT_LT(refusal("{\"" + std::string(100000, 'x')).size(), 300U);
  EXPECT_NE(refusal(std::string(1000000, '[')).find("not JSON"), std::string::npos);
  std::string deep = R"({"format":"tidepool run 1","unknown":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_EQ(refusal(deep), "accepted");
  std::string many = R"({"format":"tidepool run 1","samples":[{})";
  for (int i = 0; i < 100000; ++i) many += ",{}";
  EXPECT_EQ(refusal(many + "]}"), "run: samples: got a list of 100001, wanted a list of at most 100000");
}

TEST(RecordJson, EveryPrefixOfADocumentIsRefusedAndNoBitMakesItCrash) {
  const std::string text = to_json(full_record());
  for (std::size_t i = 0; i < text.size(); i += 7) EXPECT_NE(refusal(text.substr(0, i)), "accepted");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string broken = text;
    broken[i] = static_cast<char>(broken[i] ^ (1 << (i % 8)));
    refused += refusal(broken) != "accepted";
  }
  EXPECT_GT(refused, text.size() / 3);
}

TEST(RecordJson, EveryKindHasAName) {
  EXPECT_STREQ(name_of(Anomaly::step_time), "step_time");
  EXPECT_STREQ(name_of(Anomaly::evictions), "evictions");
  EXPECT_STREQ(name_of(Advice::batch), "batch");
  EXPECT_STREQ(name_of(Advice::memory), "memory");
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
