#include "monitor/web/response.h"

#include <new>
#include <utility>

namespace tidepool::inline v0::monitor::web {

namespace {

using Owner = std::shared_ptr<const void>;
void let_go(void* owner) { delete static_cast<Owner*>(owner); }

}  // namespace

Response::Response(MHD_Response* response) : response_(response) {
  if (!response) throw std::bad_alloc();
  add("Connection", "close");  // an answer for each connection: nothing waits for a next request, or hides one in another
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cache-Control", "no-store");
  add("Cross-Origin-Resource-Policy", "same-origin");
}

Response Response::of(const std::vector<std::string_view>& pieces, std::shared_ptr<const void> owner) {
  std::vector<MHD_IoVec> vector;
  for (const std::string_view piece : pieces)
    if (!piece.empty()) vector.push_back({piece.data(), piece.size()});
  auto kept = std::make_unique<Owner>(std::move(owner));
  MHD_Response* const made = MHD_create_response_from_iovec(vector.data(), static_cast<unsigned>(vector.size()), let_go, kept.get());
  if (made) static_cast<void>(kept.release());
  return Response(made);
}

Response Response::of_text(std::string text) {
  const auto kept = std::make_shared<const std::string>(std::move(text));
  return of({*kept}, kept);
}

Response Response::of_reader(MHD_ContentReaderCallback read, void* state, MHD_ContentReaderFreeCallback done) {
  constexpr std::size_t at_once = 8 << 10;
  return Response(MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, at_once, read, state, done));
}

Response Response::empty() { return Response(MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT)); }

Response& Response::add(const char* name, const std::string& value) {
  if (MHD_add_response_header(response_.get(), name, value.c_str()) != MHD_YES) throw std::bad_alloc();
  return *this;
}

Response& Response::describe(const Route& route) {
  add("Content-Type", route.type);
  if (route.file) add("Content-Disposition", "attachment; filename=\"" + std::string(route.file) + "\"");
  return *this;
}

MHD_Result Response::queue(MHD_Connection* connection, unsigned status) const {
  return MHD_queue_response(connection, status, response_.get());
}

}  // namespace tidepool::inline v0::monitor::web
