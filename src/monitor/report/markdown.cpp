// Reports as Markdown, as GitHub and CommonMark read it, and legible as it is.
#include <algorithm>
#include <cctype>

#include "monitor/report/sections.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t widest_padding = 100;  // a longer cell is left as it is

bool is_word(const std::string& text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || static_cast<unsigned char>(text[at]) >= 0x80);
}

// Words that mean themselves wherever they stand, in a table too. Between letters an underscore does.
std::string escaped_markdown(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '|')  // a backslash before it is not understood everywhere
      out += "&#124;";
    else if (c == '\\')
      out += "&#92;";
    else if (std::string_view("`*[]~$#").find(c) != std::string_view::npos ||
             (c == '_' && !(i > 0 && is_word(text, i - 1) && is_word(text, i + 1))))
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

std::string as_code(const std::string& text) {
  const bool fits = !text.empty() && text.find_first_of("`|\\") == std::string::npos;
  return fits ? '`' + text + '`' : escaped_markdown(text);
}

std::string line_text(const Line& line) {
  std::string out;
  for (const Words& words : line.words) {
    if (words.look == Words::code)
      out += as_code(words.text);
    else if (words.look == Words::strong || words.look == Words::bad)
      out +=
          words.text.starts_with(' ') ? " **" + escaped_markdown(words.text.substr(1)) + "**" : "**" + escaped_markdown(words.text) + "**";
    else
      out += escaped_markdown(words.text);
  }
  return out;
}

std::size_t width_of(const std::string& text) {  // characters, not bytes
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = width_of(text);
  const std::string space(own < width ? width - own : 0, ' ');
  return right ? space + text : text + space;
}

void write_markdown(const Line& line, std::string& out) { out += line_text(line) + "\n\n"; }

void write_markdown(const List& list, std::string& out) {
  for (std::size_t i = 0; i < list.items.size(); ++i) out += cat(list.numbered ? cat(i + 1, ". ") : "- ", line_text(list.items[i]), "\n");
  out += '\n';
}

void write_markdown(const Table& table, std::string& out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Table::Column& column : table.columns) rows[0].push_back(escaped_markdown(column.heading));
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const Line& cell : row) rows.back().push_back(line_text(cell));
  }
  std::vector<std::size_t> widths(table.columns.size(), 3);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], std::min(widest_padding, width_of(row[i])));
  out += "**" + escaped_markdown(table.caption) + "**\n\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i) out += "| " + padded(rows[r][i], widths[i], table.columns[i].figures) + ' ';
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += (table.columns[i].figures ? "|-" : "|:") + std::string(widths[i], '-') + (table.columns[i].figures ? ':' : '-');
    out += "|\n";
  }
  out += '\n';
}

// Drawn in HTML only; here it is told.
void write_markdown(const Chart& chart, std::string& out) {
  out += "**" + escaped_markdown(chart.title) + ".** " + escaped_markdown(chart.caption) + "\n\n";
}
void write_markdown(const Bar&, std::string&) {}  // a table says the same

}  // namespace

std::string to_markdown(const Report& report) {
  const Document document = document_of(report);
  std::string out = "# " + escaped_markdown(document.title) + "\n\n" + escaped_markdown(document.subtitle) + ".\n";
  for (const Section& section : document.sections) {
    out += "\n## " + escaped_markdown(section.title) + "\n\n";
    for (const Element& element : section.elements) std::visit([&](const auto& part) { write_markdown(part, out); }, element);
    out.pop_back();  // one empty line between sections, none at the end
  }
  return out;
}

}  // namespace tidepool::inline v0::monitor
