#include "monitor/run_file.h"

#include <cstring>
#include <string_view>
#include <vector>

#include "io/file.h"
#include "monitor/record_json.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;  // a record has about one million

template <class T>
void write_line(std::string& out, const char* type, const T& entry, const RecordWriter::Leaves& leaves = {}) {
  RecordWriter writer(leaves);
  writer.object["type"] = type;
  fields(writer, entry);
  out += text_of(writer.object);
  out += '\n';
}

template <class T>
void write_lines(std::string& out, const char* type, const std::vector<T>& entries) {
  for (const T& entry : entries) write_line(out, type, entry);
}

std::string read_text(const std::string& path) {
  const std::vector<std::byte> bytes = read_file("read_run", path, most_bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
void add_entry(const Json& line, std::string_view type, std::vector<T>& entries) {
  if (entries.size() == most_listed) throw IoError("run", cat("more than ", most_listed, " lines of type ", type));
  RecordReader reader(line, {nullptr, type});
  fields(reader, entries.emplace_back());
}

void add_figure(const Json& line, std::map<std::string, FigureSummary>& figures) {
  const JsonPlace place{nullptr, "figure"};
  RecordReader reader(line, place);
  std::string name;
  reader("name", name);
  fields(reader, figures[name]);
  if (figures.size() > most_listed) throw IoError("run", cat("more than ", most_listed, " figures"));
}

void add_line(const Json& line, RunRecord& run) {
  const auto type = line.is_object() ? line.find("type") : line.end();
  if (!line.is_object() || type == line.end() || !type->is_string()) throw IoError("run", "a line without a \"type\"");
  const auto& name = type->get_ref<const std::string&>();
  if (name == "run") {
    RecordReader reader(line);
    fields(reader, run);
  } else if (name == "sample") {
    add_entry(line, "sample", run.samples);
  } else if (name == "epoch") {
    add_entry(line, "epoch", run.epochs);
  } else if (name == "kernel") {
    add_entry(line, "kernel", run.kernels);
  } else if (name == "operation") {
    add_entry(line, "operation", run.operations);
  } else if (name == "anomaly") {
    add_entry(line, "anomaly", run.anomalies);
  } else if (name == "advice") {
    add_entry(line, "advice", run.advice);
  } else if (name == "event") {
    add_entry(line, "event", run.events);
  } else if (name == "figure") {
    add_figure(line, run.figures);
  } else if (name == "pool") {
    RecordReader reader(line, {nullptr, "pool"});
    fields(reader, run.pool.emplace());
  }
}

bool is_first_line(std::string_view line) {
  try {
    const Json json = parse_json(line, "the line");
    return json.is_object() && json.contains("type");
  } catch (const IoError&) {
    return false;
  }
}

RunRecord record_of_lines(const std::string& path, std::string_view text) {
  RunRecord run;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool cut_off = end == std::string_view::npos;
    text.remove_prefix(cut_off ? text.size() : end + 1);
    if (line.find_first_not_of(" \r") == std::string_view::npos) continue;
    if (cut_off && !Json::accept(line)) break;
    try {
      const Json json = parse_json(line, "the line");
      if (number == 1 && json["type"] != "run") throw IoError("run", "the first line is not of type \"run\"");
      add_line(json, run);
    } catch (const IoError& error) {
      throw IoError("read_run", cat(path, ", line ", number, ": ", std::string_view(error.what()).substr(std::strlen("run: "))));
    }
  }
  return run;
}

}  // namespace

std::string run_lines(const RunRecord& run) {
  std::string out;
  write_line(out, "run", run, {.lists = true});
  write_lines(out, "sample", run.samples);
  write_lines(out, "epoch", run.epochs);
  write_lines(out, "kernel", run.kernels);
  write_lines(out, "operation", run.operations);
  write_lines(out, "anomaly", run.anomalies);
  write_lines(out, "advice", run.advice);
  write_lines(out, "event", run.events);
  if (run.pool) write_line(out, "pool", *run.pool);
  for (const auto& [name, figure] : run.figures) {
    RecordWriter writer;
    writer.object["type"] = "figure";
    writer.object["name"] = name;
    fields(writer, figure);
    out += text_of(writer.object) + '\n';
  }
  return out;
}

RunRecord read_run(const std::string& path) {
  const std::string text = read_text(path);
  if (is_first_line(std::string_view(text).substr(0, text.find('\n')))) return record_of_lines(path, text);
  try {
    return run_from_json(text);
  } catch (const IoError& error) {
    throw IoError("read_run", cat(path, ": ", std::string_view(error.what()).substr(std::strlen("run: ")),
                                  "; wanted a file that tp::monitor::write_run wrote, or /run.json"));
  }
}

}  // namespace tidepool::inline v0::monitor
