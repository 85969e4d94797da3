#include "monitor/web/routes.h"

#include <algorithm>

namespace tidepool::inline v0::monitor::web {

namespace {

constexpr Route all[] = {
    {"/", Content::page, "text/html; charset=utf-8", nullptr},
    {"/run.json", Content::run, "application/json", nullptr},
    {"/events", Content::events, "text/event-stream", nullptr},
    {"/metrics", Content::metrics, "text/plain; version=0.0.4; charset=utf-8", nullptr},
    {"/export", Content::page_with_run, "text/html; charset=utf-8", "tidepool-run.html"},
    {"/trace.json", Content::trace, "application/json", "tidepool-trace.json"},
    {"/samples.csv", Content::csv, "text/csv; charset=utf-8", "tidepool-samples.csv"},
    {"/run.jsonl", Content::lines, "application/jsonl", "tidepool-run.jsonl"},
    {"/report.html", Content::report, "text/html; charset=utf-8", nullptr},
};

}  // namespace

std::span<const Route> routes() { return all; }

const Route* find_route(std::string_view path) {
  const auto* const found = std::ranges::find_if(all, [&](const Route& route) { return path == route.path; });
  return found == std::end(all) ? nullptr : found;
}

}  // namespace tidepool::inline v0::monitor::web
