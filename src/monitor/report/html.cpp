// Reports as one HTML file: no script, nothing from outside, and a policy that would not let either in.
#include <algorithm>
#include <cctype>
#include <ranges>

#include "monitor/report/sections.h"
#include "monitor/report/style.h"
#include "monitor/report/svg.h"
#include "monitor/report/text.h"
#include "platform/cat.h"
#include "platform/sha256.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t short_text = 20;

std::string escaped(const std::string& text) {  // for words and for attributes
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

// A figure and its unit stay together.
std::string with_units(std::string text) {
  for (const std::string_view unit : {" %", " s", " ms", " µs", " ns", " min", " h", " B", " KiB", " MiB", " GiB", " TiB"})
    for (std::size_t at = text.find(unit, 1); at != std::string::npos; at = text.find(unit, at + 1)) {
      const std::size_t end = at + unit.size();
      const bool whole = end == text.size() || !std::isalnum(static_cast<unsigned char>(text[end]));
      if (whole && std::isdigit(static_cast<unsigned char>(text[at - 1]))) text.replace(at, 1, "\u00a0");
    }
  return text;
}

std::string line_html(const Line& line) {
  std::string out;
  for (const Words& words : line.words) {
    const std::string text = words.look == Words::code ? escaped(words.text) : with_units(escaped(words.text));
    switch (words.look) {
      case Words::plain:
        out += text;
        break;
      case Words::code:
        out += cat("<code", words.text.size() <= short_text ? " class=\"s\">" : ">", text, "</code>");
        break;
      case Words::strong:
        out += "<strong>" + text + "</strong>";
        break;
      case Words::good:
        out += "<span class=\"good\">" + text + "</span>";
        break;
      case Words::bad:
        out += "<strong class=\"bad\">" + text + "</strong>";
        break;
    }
  }
  return out;
}

void write(const Line& line, std::string& out) { out += "<p>" + line_html(line) + "</p>\n"; }

void write(const List& list, std::string& out) {
  out += list.numbered ? "<ol>\n" : "<ul>\n";
  for (const Line& item : list.items) out += "<li>" + line_html(item) + "</li>\n";
  out += list.numbered ? "</ol>\n" : "</ul>\n";
}

// Figures stand to the right; what is short stays on one line.
const char* class_of(const Table& table, std::size_t column) {
  if (table.columns[column].figures) return " class=\"n\"";
  std::size_t longest = 0;
  for (const auto& row : table.rows) {
    std::size_t size = 0;
    for (const Words& words : row[column].words) size += words.text.size();
    longest = std::max(longest, size);
  }
  return longest <= short_text ? " class=\"s\"" : "";
}

void write(const Table& table, std::string& out) {
  const std::string caption = escaped(table.caption);
  out += cat("<div class=\"wide\" role=\"region\" aria-label=\"", caption, "\" tabindex=\"0\">\n<table>\n<caption>", caption,
             "</caption>\n<thead><tr>");
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    classes.emplace_back(class_of(table, i));
    out += cat("<th scope=\"col\"", classes[i], ">", with_units(escaped(table.columns[i].heading)), "</th>");
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += cat("<tr><th scope=\"row\"", classes[0], ">", line_html(row[0]), "</th>");
    for (std::size_t i = 1; i < row.size(); ++i) out += cat("<td", classes[i], ">", line_html(row[i]), "</td>");
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
}

std::string without_zeros(std::string label) {  // "20.0 ms" is "20 ms" on an axis
  const std::size_t point = label.find('.'), end = std::min(label.find_first_not_of("0123456789", point + 1), label.size());
  if (point == std::string::npos) return label;
  std::size_t keep = end;
  while (keep > point && (label[keep - 1] == '0' || keep - 1 == point)) --keep;
  return label.erase(keep, end - keep);
}

std::string key(const std::string& look, const std::string& name) {
  return cat("<li><span class=\"key ", look, "\"></span>", escaped(name), "</li>");
}

void write_legend(const Chart& chart, std::string& out) {
  if (chart.series.size() < 2 && !chart.line) return;
  out += "<ul class=\"legend\">";
  for (const Chart::Series& series : chart.series)
    out += key(cat(chart.stacked && !series.outline ? "c" : "line c", series.colour), series.name);
  if (chart.line) out += key("across", cat(chart.line_name, " ", chart.label(*chart.line)));
  out += "</ul>\n";
}

void write(const Chart& chart, std::string& out) {
  const Axis axis = axis_of(chart);
  out += cat("<figure>\n<figcaption><strong>", escaped(chart.title), ".</strong> ", with_units(escaped(chart.caption)),
             "</figcaption>\n<div class=\"plot\">\n");
  out += "<ul class=\"axis y\" aria-hidden=\"true\">";
  for (const double tick : axis.ticks | std::views::reverse) out += cat("<li>", escaped(without_zeros(chart.label(tick))), "</li>");
  out +=
      cat("</ul>\n", svg_of(chart, axis, escaped(cat(chart.title, ". ", chart.caption))), "\n<ul class=\"axis x\" aria-hidden=\"true\">");
  const double start = chart.times.front(), end = chart.times.back();
  for (const double time : {start, (start + end) / 2, end}) out += cat("<li>", moment_text(time), "</li>");
  out += "</ul>\n</div>\n";
  write_legend(chart, out);
  out += "</figure>\n";
}

void write(const Bar& bar, std::string& out) {
  std::vector<double> shares;
  for (const Bar::Part& part : bar.parts) shares.push_back(part.share);
  const std::vector<std::string> texts = shares_text(shares);
  std::string label = bar.title + ":", legend;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    const Bar::Part& part = bar.parts[i];
    if (!(part.share > 0)) continue;
    label += cat(" ", part.name, " ", texts[i], ";");
    legend += key(cat("c", part.colour), cat(part.name, " ", texts[i]));
  }
  label.back() = '.';
  out += cat("<figure>\n", svg_of(bar, escaped(label)), "\n<ul class=\"legend\">", legend, "</ul>\n</figure>\n");
}

std::string head(const Document& document) {
  return cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-", sha256_base64(report_style),
             "'; base-uri 'none'; form-action 'none'\">\n", "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
             "<meta name=\"referrer\" content=\"no-referrer\">\n<title>", escaped(document.title), "</title>\n<style>", report_style,
             "</style>\n</head>\n");
}

}  // namespace

std::string to_html(const Report& report) {
  const Document document = document_of(report);
  std::string out = cat(head(document), "<body>\n<header>\n<h1>", escaped(document.title), "</h1>\n<p>", escaped(document.subtitle),
                        ".</p>\n</header>\n<nav aria-label=\"Sections\">\n<ul>\n");
  for (const Section& section : document.sections) out += cat("<li><a href=\"#", section.id, "\">", escaped(section.title), "</a></li>\n");
  out += "</ul>\n</nav>\n<main>\n";
  for (const Section& section : document.sections) {
    out += cat("<section aria-labelledby=\"", section.id, "\">\n<h2 id=\"", section.id, "\">", escaped(section.title), "</h2>\n");
    for (const Element& element : section.elements) std::visit([&](const auto& part) { write(part, out); }, element);
    out += "</section>\n";
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace tidepool::inline v0::monitor
