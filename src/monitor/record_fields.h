// The keys of the record, each written down once, for whoever writes and for whoever reads: fields(io, sample) calls io("time",
// sample.time) and so on, in the document's order. What is no plain value has a function of its own in `io`:
//
//     io.news("samples", run.samples)         a list of things with a time, of which an update has the new ones only
//     io.list("kernels", run.kernels)         a list that is always whole
//     io.loss("loss", sample.loss)            a number that may be anything but finite
//     io.only_if(has, "accuracy", accuracy)   null unless there is one
//     io.kind("kind", anomaly.kind)           a name
//     io.by_tag("by_tag", bytes), io.tags()   bytes by what they are for, and the names of that
//     io.pool("pool", run.pool)               an update has it only at times
#pragma once

#include <concepts>
#include <type_traits>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

template <class T, class Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>;  // to write it is const, to read not

void fields(auto& io, Either<RunDevice> auto& d) {
  io("id", d.id);
  io("name", d.name);
  io("kind", d.kind);
  io("driver", d.driver);
  io("memory_total", d.memory_total);
}

void fields(auto& io, Either<RunSettings> auto& s) {
  io("threads", s.threads);
  io("max_commands", s.max_commands);
  io("max_cached_per_class", s.max_cached_per_class);
  io("memory_limit", s.memory_limit);
  io("cache_limit", s.cache_limit);
}

void fields(auto& io, Either<RunTraining> auto& t) {
  io("task", t.task);
  io("epochs", t.epochs);
  io("batch", t.batch);
  io("samples", t.samples);
  io("batches", t.batches);
  io("parameters", t.parameters);
  io("epoch", t.epoch);
  io("step", t.step);
  io("extra_steps", t.extra_steps);
  io("started", t.started);
  io("finished", t.finished);
  io("ended", t.ended);
}

void fields(auto& io, Either<Sample> auto& s) {
  io("time", s.time);
  io("device", s.device);
  io("tensors", s.tensors);
  io("live", s.live);
  io("reserved", s.reserved);
  io("cached", s.cached);
  io("peak", s.peak);
  io("limit", s.limit);
  io.by_tag("by_tag", s.by_tag);
  io("launches", s.launches);
  io("flushes", s.flushes);
  io("plan_runs", s.plan_runs);
  io("allocations", s.allocations);
  io("reuses", s.reuses);
  io("evictions", s.evictions);
  io("transfers", s.transfers);
  io("transfer_bytes", s.transfer_bytes);
  io("compute_ms", s.compute_ms);
  io("transfer_ms", s.transfer_ms);
  io("wait_ms", s.wait_ms);
  io("utilisation", s.utilisation);
  io("system_utilisation", s.system_utilisation);
  io("epoch", s.epoch);
  io("steps", s.steps);
  io("step_ms", s.step_ms);
  io("loader_ms", s.loader_ms);
  io.loss("loss", s.loss);
  io("accuracy", s.accuracy);
  io("samples_per_second", s.samples_per_second);
}

void fields(auto& io, Either<RunEpoch> auto& e) {
  io("epoch", e.epoch);
  io("time", e.time);
  io.loss("loss", e.loss);
  io.only_if(e.has_accuracy, "accuracy", e.accuracy);
  io.loss_only_if(e.has_test, "test_loss", e.test_loss);
  io.only_if(e.has_test, "test_accuracy", e.test_accuracy);
  io("seconds", e.seconds);
  io("samples_per_second", e.samples_per_second);
}

void fields(auto& io, Either<KernelRow> auto& k) {
  io("name", k.name);
  io("device", k.device);
  io("launches", k.launches);
  io("timed", k.timed);
  io("device_ms", k.device_ms);
  io("mean_us", k.mean_us);
  io("share", k.share);
}

void fields(auto& io, Either<OperationRow> auto& o) {
  io("name", o.name);
  io("device", o.device);
  io("calls", o.calls);
  io("host_ms", o.host_ms);
  io("device_ms", o.device_ms);
  io("share", o.share);
}

void fields(auto& io, Either<Anomaly> auto& a) {
  io.kind("kind", a.kind);
  io("time", a.time);
  io("series", a.series);
  io("value", a.value);
  io("low", a.low);
  io("high", a.high);
  io("message", a.message);
}

void fields(auto& io, Either<Advice> auto& a) {
  io.kind("kind", a.kind);
  io("gain", a.gain);
  io("message", a.message);
  io("setting", a.setting);
}

void fields(auto& io, Either<Expectation> auto& e) {
  io("seconds", e.seconds);
  io("low", e.low);
  io("high", e.high);
  io("message", e.message);
}

void fields(auto& io, Either<Forecast> auto& f) {
  io("memory_full", f.memory_full);
  io("training_end", f.training_end);
}

void fields(auto& io, Either<RunEvent> auto& e) {
  io("time", e.time);
  io("kind", e.kind);
  io("device", e.device);
  io("message", e.message);
}

void fields(auto& io, Either<PoolRegion> auto& r) {
  io("bytes", r.bytes);
  io.list("blocks", r.blocks);
}

void fields(auto& io, Either<PoolMap> auto& p) {
  io("device", p.device);
  io("time", p.time);
  io("left_out", p.left_out);
  io.list("regions", p.regions);
}

void fields(auto& io, Either<FigureSummary> auto& f) {
  io("count", f.count);
  io("last", f.last);
  io("mean", f.mean);
  io("least", f.least);
  io("most", f.most);
  io("p50", f.p50);
  io("p90", f.p90);
  io("p99", f.p99);
}

void fields(auto& io, Either<Cost> auto& c) {
  io("seconds", c.seconds);
  io("background_seconds", c.background_seconds);
  io("total", c.total);
}

void fields(auto& io, Either<RunRecord> auto& r) {
  io.format("format");
  io("version", r.version);
  io("started", r.started);
  io("time", r.time);
  io("running", r.running);
  io("device", r.device);
  io("settings", r.settings);
  io("training", r.training);
  io.tags("tags");
  io.news("samples", r.samples);
  io.news("epochs", r.epochs);
  io.list("kernels", r.kernels);
  io.list("operations", r.operations);
  io.news("anomalies", r.anomalies);
  io.list("advice", r.advice);
  io("forecast", r.forecast);
  io.news("events", r.events);
  io.pool("pool", r.pool);
  io.figures("figures", r.figures);
  io("cost", r.cost);
}

}  // namespace tidepool::inline v0::monitor
