#include "monitor/web/page.h"

#include <tidepool/error.h>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace tidepool::inline v0::monitor::web {

Page::Page(const PageParts& parts) {
  struct Place {
    std::string_view mark;
    Kind kind;
    std::string_view text;
  };
  const std::array<Place, 5> places{{{"{nonce}", Kind::nonce, {}},
                                     {"{data}", Kind::data, {}},
                                     {"/*{style}*/", Kind::text, parts.style},
                                     {"/*{chart}*/", Kind::text, parts.chart},
                                     {"/*{app}*/", Kind::text, parts.app}}};
  // Only the index is searched: scripts have braces of their own.
  for (std::string_view rest = parts.index; !rest.empty();) {
    std::size_t at = rest.size();
    const Place* next = nullptr;
    for (const Place& place : places) {
      const std::size_t found = rest.find(place.mark);
      if (found >= at) continue;
      at = found;
      next = &place;
    }
    pieces_.push_back({Kind::text, rest.substr(0, at)});
    if (!next) break;
    pieces_.push_back({next->kind, next->text});
    rest.remove_prefix(at + next->mark.size());
  }
}

std::vector<std::string_view> Page::pieces(std::string_view nonce, std::string_view data) const {
  std::vector<std::string_view> all;
  for (const Piece& piece : pieces_) {
    const std::string_view text = piece.kind == Kind::nonce ? nonce : piece.kind == Kind::data ? data : piece.text;
    if (!text.empty()) all.push_back(text);
  }
  return all;
}

std::string make_nonce() {
  std::array<unsigned char, 16> bits{};
  while (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
    if (errno != EINTR) throw IoError("Dashboard", "the system gives no random numbers");
  std::string text;
  for (const unsigned char byte : bits) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

namespace {
constexpr std::string_view no_more = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}  // namespace

std::string policy_of_page(std::string_view nonce) {
  const std::string only = "'nonce-" + std::string(nonce) + "'";
  return "default-src 'none'; script-src " + only + "; style-src " + only + "; connect-src 'self'; img-src data:" + std::string(no_more);
}

std::string policy_of_report() { return "default-src 'none'; style-src 'unsafe-inline'; img-src data:" + std::string(no_more); }

std::string policy_of_data() { return "default-src 'none'" + std::string(no_more); }

std::string escaped_for_script(std::string json) {
  if (json.find('<') == std::string::npos) return json;
  std::string escaped;
  escaped.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace tidepool::inline v0::monitor::web
