// The paths that are served; nothing else is.
#pragma once

#include <span>
#include <string_view>

namespace tidepool::inline v0::monitor::web {

enum class Content { page, run, events, metrics, page_with_run, trace, csv, lines, report };

struct Route {
  const char* path;
  Content content;
  const char* type;
  const char* file;  // the name to save it under; nullptr: it is shown
};

std::span<const Route> routes();
const Route* find_route(std::string_view path);  // exactly as written: nothing is unescaped or resolved; nullptr where there is none

}  // namespace tidepool::inline v0::monitor::web
