#include "monitor/web/shelf.h"

#include <algorithm>
#include <utility>

#include "monitor/web/page.h"
#include "platform/thread_clock.h"

namespace tidepool::inline v0::monitor::web {

namespace {
constexpr double rest = 50;  // a document is served again for as many times the processor time that it took
}  // namespace

Text Shelf::get(Content content, double now) {
  Entry& entry = entries_[content];
  if (entry.text && (now < entry.until || !has_room())) return entry.text;
  if (!has_room()) return nullptr;
  const double start = thread_seconds();
  entry.text = keep(make(content));
  entry.until = now + std::max(limits_.period, rest * (thread_seconds() - start));
  return entry.text;
}

Text Shelf::keep(std::string text) {
  const std::size_t bytes = text.capacity();
  auto kept = std::make_unique<const std::string>(std::move(text));
  *held_ += bytes;
  return {kept.release(), [held = held_, bytes](const std::string* old) {
            *held -= bytes;
            delete old;
          }};
}

std::optional<double> Shelf::next_to_go() const {
  std::optional<double> first;
  for (const auto& [content, entry] : entries_)
    if (!first || entry.until < *first) first = entry.until;
  return first;
}

void Shelf::let_go(double now) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= now; });
}

std::string Shelf::make(Content content) {
  switch (content) {
    case Content::metrics:
      return run_.metrics();
    case Content::trace:
      return run_.trace();
    case Content::csv:
      return run_.csv();
    case Content::lines:
      return run_.lines();
    case Content::report:
      return run_.report();
    case Content::page_with_run:
      return escaped_for_script(to_json(run_.record(true)));
    case Content::run:
      return to_json(run_.record(true));
    case Content::page:
    case Content::events:
      break;  // these are no documents of their own
  }
  return {};
}

}  // namespace tidepool::inline v0::monitor::web
