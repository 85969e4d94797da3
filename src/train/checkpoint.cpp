#include "train/checkpoint.h"

#include <tidepool/error.h>

#include "io/safetensors.h"
#include "platform/cat.h"
#include "platform/log.h"
#include "platform/one_line.h"
#include "platform/replace_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace tidepool::inline v0 {

namespace {

constexpr const char* format = "1";
constexpr std::string_view best_prefix = "best/";

// FNV-1a over words of eight bytes: finds damage, not malice.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      mix(word);
    }
    for (; at < bytes.size(); ++at) mix(std::to_integer<std::uint64_t>(bytes[at]));
    mix(bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::string text() const { return std::to_string(value_); }

 private:
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3U;
    value_ ^= value_ >> 29;
  }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

template <class T>
std::string exact(T value) {
  char text[64];
  return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}

class Fields {
 public:
  explicit Fields(const SafetensorsFile& file) : file_(file) {}
  const std::string& text(const char* key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end())
      throw IoError("resume", cat(file_.path(), ": has no '", key, "'; it is no checkpoint of Tidepool"));
    return found->second;
  }
  template <class T>
  T number(const char* key) const {
    const std::string& value = text(key);
    T number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size())
      throw IoError("resume", cat(file_.path(), ": '", key, "' is ", shown(value, 40), "; wanted a number"));
    return number;
  }

 private:
  const SafetensorsFile& file_;
};

std::string text_of(const std::vector<EpochResult>& epochs) {
  std::string text;
  for (const EpochResult& e : epochs) {
    text += exact(e.epoch);
    for (const double value : {e.loss, e.accuracy, e.test_loss, e.test_accuracy, e.seconds, e.samples_per_second})
      text += ' ' + exact(value);
    text += '\n';
  }
  return text;
}

// The first time through they are only counted, so that text which is refused costs nothing.
std::size_t read_epochs(const std::string& path, const std::string& text, std::vector<EpochResult>* epochs) {
  std::size_t count = 0;
  const char *at = text.data(), *const end = at + text.size();
  const auto read = [&](auto& value) {
    while (at < end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) throw IoError("resume", cat(path, ": 'epochs' cannot be read at byte ", at - text.data()));
    at = next;
  };
  while (at < end) {
    EpochResult e;
    read(e.epoch);
    for (double* value : {&e.loss, &e.accuracy, &e.test_loss, &e.test_accuracy, &e.seconds, &e.samples_per_second}) read(*value);
    if (at < end && *at == '\n') ++at;
    ++count;
    if (epochs) epochs->push_back(e);
  }
  return count;
}

std::vector<EpochResult> epochs_from(const std::string& path, const std::string& text) {
  std::vector<EpochResult> epochs;
  epochs.reserve(read_epochs(path, text, nullptr));
  read_epochs(path, text, &epochs);
  return epochs;
}

// Whatever these are, nothing that is computed from them overflows.
void check_numbers(const std::string& path, const Checkpoint& checkpoint) {
  const Snapshot& s = checkpoint.snapshot;
  const auto counts = [](std::int64_t value) { return value >= 0 && value <= std::int64_t{1} << 53; };
  for (const auto& [key, value] : {std::pair("epoch", s.epoch), std::pair("batch", s.batch), std::pair("step", s.step),
                                   std::pair("best_epoch", s.best_epoch), std::pair("samples", checkpoint.info.samples)})
    if (!counts(value)) throw IoError("resume", cat(path, ": '", key, "' is ", value, "; wanted 0 to 2^53"));
  for (const auto& [key, value] : {std::pair("batch_size", checkpoint.info.batch), std::pair("micro_batch", checkpoint.info.micro_batch)})
    if (value < 1 || !counts(value)) throw IoError("resume", cat(path, ": '", key, "' is ", value, "; wanted 1 to 2^53"));
  if (std::cmp_greater(s.best_epoch, s.epochs.size()))
    throw IoError("resume", cat(path, ": 'best_epoch' is ", s.best_epoch, " of ", s.epochs.size(), " epochs"));
  constexpr double most_seconds = 1e9;
  if (!(s.seconds >= 0 && s.seconds <= most_seconds))
    throw IoError("resume", cat(path, ": 'seconds' is ", s.seconds, "; wanted 0 to ", most_seconds));
  if (!std::isfinite(s.lr)) throw IoError("resume", cat(path, ": 'lr' is ", s.lr, "; wanted a finite number"));
}

Checkpoint read_whole(const std::string& path) {
  const SafetensorsFile file = read_safetensors("resume", path);
  const Fields fields(file);
  if (fields.text("tidepool.checkpoint") != format)
    throw IoError("resume", cat(path, ": is of format ", shown(fields.text("tidepool.checkpoint")), "; this version reads ", format));
  std::vector<SafetensorsTensor> views;
  for (const SafetensorsEntry& entry : file.entries()) {
    const std::optional<DType> dtype = dtype_in_file(entry.dtype);
    if (!dtype) throw IoError("resume", cat(path, ": ", shown(entry.name), " is ", entry.dtype, "; a checkpoint has F32, F16, I32 and U8"));
    views.push_back({entry.name, *dtype, entry.shape, file.bytes(entry)});
  }
  if (checkpoint_checksum(file.metadata(), views) != fields.text("checksum"))
    throw IoError("resume", cat(path, ": the checksum is wrong; the file is damaged"));
  Checkpoint checkpoint;
  Snapshot& s = checkpoint.snapshot;
  s.epoch = fields.number<std::int64_t>("epoch");
  s.batch = fields.number<std::int64_t>("batch");
  s.step = fields.number<std::int64_t>("step");
  s.seconds = fields.number<double>("seconds");
  s.lr = fields.number<double>("lr");
  s.best_epoch = fields.number<std::int64_t>("best_epoch");
  const auto seed = fields.number<std::uint64_t>("random.seed"), call = fields.number<std::uint64_t>("random.call");
  s.random = {.seed = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
              .call = {static_cast<std::uint32_t>(call), static_cast<std::uint32_t>(call >> 32)}};
  s.epochs = epochs_from(path, fields.text("epochs"));
  checkpoint.info = {.optimizer = fields.text("optimizer"),
                     .conditions = fields.text("conditions"),
                     .batch = fields.number<std::int64_t>("batch_size"),
                     .micro_batch = fields.number<std::int64_t>("micro_batch"),
                     .seed = fields.number<std::int64_t>("seed"),
                     .samples = fields.number<std::int64_t>("samples"),
                     .shuffle = fields.text("shuffle") == "1"};
  check_numbers(path, checkpoint);
  for (SafetensorsTensor& view : views) {
    const bool best = view.name.starts_with(best_prefix);
    if (best) view.name.erase(0, best_prefix.size());
    (best ? s.best : s.tensors).push_back({std::move(view.name), view.dtype, view.shape, {view.bytes.begin(), view.bytes.end()}});
  }
  return checkpoint;
}

}  // namespace

std::string checkpoint_checksum(const SafetensorsMetadata& metadata, std::vector<SafetensorsTensor> tensors) {
  Checksum sum;
  for (const auto& [key, value] : metadata)
    if (key != "checksum") {
      sum.add(key);
      sum.add(value);
    }
  std::ranges::sort(tensors, {}, &SafetensorsTensor::name);
  for (const SafetensorsTensor& tensor : tensors) {
    sum.add(tensor.name);
    sum.add(tensor.bytes);
  }
  return sum.text();
}

void write_checkpoint(const std::string& path, const Snapshot& s, const CheckpointInfo& info, bool keep_previous) {
  const auto joined = [](const std::uint32_t(&words)[2]) { return std::uint64_t{words[1]} << 32 | words[0]; };
  SafetensorsMetadata metadata;
  metadata["tidepool.checkpoint"] = format;
  metadata["epoch"] = exact(s.epoch);
  metadata["batch"] = exact(s.batch);
  metadata["step"] = exact(s.step);
  metadata["seconds"] = exact(s.seconds);
  metadata["lr"] = exact(s.lr);
  metadata["best_epoch"] = exact(s.best_epoch);
  metadata["random.seed"] = exact(joined(s.random.seed));
  metadata["random.call"] = exact(joined(s.random.call));
  metadata["epochs"] = text_of(s.epochs);
  metadata["optimizer"] = info.optimizer;
  metadata["conditions"] = info.conditions;
  metadata["batch_size"] = exact(info.batch);
  metadata["micro_batch"] = exact(info.micro_batch);
  metadata["seed"] = exact(info.seed);
  metadata["samples"] = exact(info.samples);
  metadata["shuffle"] = info.shuffle ? "1" : "0";
  std::vector<SafetensorsTensor> tensors;
  for (const SavedTensor& saved : s.tensors) tensors.push_back({saved.name, saved.dtype, saved.shape, saved.bytes});
  for (const SavedTensor& saved : s.best) tensors.push_back({std::string(best_prefix) + saved.name, saved.dtype, saved.shape, saved.bytes});
  metadata["checksum"] = checkpoint_checksum(metadata, tensors);
  write_safetensors("fit", path, metadata, tensors, keep_previous);
}

Checkpoint read_checkpoint(const std::string& path) {
  const std::string previous = previous_of(path);
  try {
    return read_whole(path);
  } catch (const IoError& error) {
    if (std::error_code ignored; !std::filesystem::exists(previous, ignored)) throw;
    warn(cat(error.what(), "; going on from ", previous));
  }
  Checkpoint checkpoint = read_whole(previous);
  checkpoint.is_previous = true;
  return checkpoint;
}

std::vector<SavedTensor> matched(const std::string& path, std::vector<SavedTensor> saved, const NamedTensors& wanted) {
  std::vector<SavedTensor> in_order;
  for (const auto& [name, tensor] : wanted) {
    const auto found = std::ranges::find(saved, name, &SavedTensor::name);
    if (found == saved.end()) throw IoError("resume", cat(path, ": has no '", name, "' ", tensor.shape(), "; is it of another network?"));
    if (!(found->shape == tensor.shape()) || found->dtype != tensor.dtype())
      throw IoError("resume", cat(path, ": '", name, "' is ", found->shape, " of ", found->dtype, "; wanted ", tensor.shape(), " of ",
                                  tensor.dtype()));
    in_order.push_back(std::move(*found));
    saved.erase(found);
  }
  if (!saved.empty()) throw IoError("resume", cat(path, ": has ", shown(saved.front().name), ", which the network has not"));
  return in_order;
}

}  // namespace tidepool::inline v0
