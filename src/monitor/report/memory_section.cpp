// Where memory went.
#include <algorithm>

#include "monitor/report/sections.h"
#include "monitor/report/text.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_holders = 10;

std::string share_text(std::size_t part, std::size_t whole) {
  return whole ? percent_text(static_cast<double>(part) / static_cast<double>(whole)) : std::string("–");
}

Table moments_table(const MemorySpent& memory) {
  const MemoryMoment &peak = *memory.at_peak, &end = *memory.at_end;
  Table table{.caption = "The pool when most was live, and at the end",
              .columns = {{"bytes"}, {cat("at ", moment_text(peak.time)), true}, {cat("at the end, ", moment_text(end.time)), true}}};
  const auto row = [&](const char* what, const auto& text) { table.rows.push_back({what, text(peak), text(end)}); };
  row("live: lent to tensors and plans", [](const MemoryMoment& m) { return readable_bytes(m.live); });
  row("cached: idle, ready to be lent again", [](const MemoryMoment& m) { return readable_bytes(m.cached); });
  row("reserved: taken from the device", [](const MemoryMoment& m) { return readable_bytes(m.reserved); });
  row("fragmentation: cached of reserved",
      [](const MemoryMoment& m) { return m.idle_share ? percent_text(*m.idle_share) : std::string("–"); });
  return table;
}

Table tag_table(const MemoryMoment& peak) {
  Table table{.caption = cat("By what it is for, when most was live (at ", moment_text(peak.time), ")"),
              .columns = {{"for"}, {"bytes", true}, {"share of live", true}}};
  for (const TaggedBytes& tag : peak.by_tag) table.rows.push_back({tag.tag, readable_bytes(tag.bytes), share_text(tag.bytes, peak.live)});
  return table;
}

Table holder_table(const MemorySpent& memory) {
  Table table{.caption = "Largest holders, by the map of the pool",
              .columns = {{"taken by"}, {"for"}, {"bytes", true}, {"share", true}, {"blocks", true}}};
  std::size_t whole = memory.left_out, others = 0, other_blocks = 0;
  for (const PoolHolder& holder : memory.holders) whole += holder.bytes;
  for (std::size_t i = 0; i < memory.holders.size(); ++i) {
    const PoolHolder& holder = memory.holders[i];
    if (i >= most_holders) {
      others += holder.bytes;
      other_blocks += holder.blocks;
      continue;
    }
    const bool idle = holder.tag.empty();
    Line name = idle ? Line("nobody: idle") : holder.holder.empty() ? Line("not named") : Line(code(holder.holder));
    table.rows.push_back({std::move(name), idle ? "–" : holder.tag, readable_bytes(holder.bytes), share_text(holder.bytes, whole),
                          with_commas(holder.blocks)});
  }
  if (other_blocks)
    table.rows.push_back({cat(memory.holders.size() - most_holders, " others"), "–", readable_bytes(others), share_text(others, whole),
                          with_commas(other_blocks)});
  if (memory.left_out)
    table.rows.push_back({"not in the map", "–", readable_bytes(memory.left_out), share_text(memory.left_out, whole), "–"});
  return table;
}

std::string traffic(const MemorySpent& memory) {
  const std::uint64_t lent = memory.allocations + memory.reuses;
  std::string text = cat("The device was asked for memory ", counted(memory.allocations, "time", "times"), "; ",
                         counted(memory.reuses, "block was", "blocks were"), " lent again");
  if (lent) text += cat(", ", percent_text(static_cast<double>(memory.reuses) / static_cast<double>(lent)), " of all that were lent");
  return cat(text, "; ", counted(memory.evictions, "idle block was", "idle blocks were"), " given back.");
}

}  // namespace

Section memory_section(const Report& report) {
  Section section{.title = "Where memory went", .id = "memory"};
  std::vector<Element>& all = section.elements;
  const MemorySpent& memory = report.memory;
  if (!memory.at_peak) {
    all.emplace_back("No samples were taken, so nothing is known of memory over time.");
  } else {
    std::string peak = cat("At most ", readable_bytes(memory.peak), " were taken from the device");
    if (memory.limit)
      peak += cat(", ", share_text(memory.peak, memory.limit), " of the limit of ", readable_bytes(memory.limit));
    else
      peak += "; there is no limit";
    all.emplace_back(peak + ". " + traffic(memory));
    if (Chart chart = memory_chart(report); chart.times.size() > 1) all.emplace_back(std::move(chart));
    all.emplace_back(moments_table(memory));
    if (!memory.at_peak->by_tag.empty()) all.emplace_back(tag_table(*memory.at_peak));
  }
  if (!memory.holders.empty()) all.emplace_back(holder_table(memory));
  return section;
}

}  // namespace tidepool::inline v0::monitor
