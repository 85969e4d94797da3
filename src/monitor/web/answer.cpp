// What the server says to a request.
#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "monitor/web/clock.h"
#include "monitor/web/server.h"

namespace tidepool::inline v0::monitor::web {

namespace {

std::vector<Field> fields_of(MHD_Connection* connection, MHD_ValueKind kind) {
  std::vector<Field> fields;
  const auto add = [](void* all, MHD_ValueKind, const char* name, std::size_t name_size, const char* value, std::size_t value_size) {
    static_cast<std::vector<Field>*>(all)->push_back({{name, name_size}, value ? std::string_view(value, value_size) : std::string_view()});
    return MHD_YES;
  };
  MHD_get_connection_values_n(connection, kind, add, &fields);
  return fields;
}

Response refusal(unsigned status, std::string_view reason) {
  Response response = Response::of_text(std::string(reason) + "\n");
  response.add("Content-Type", "text/plain; charset=utf-8").add("Content-Security-Policy", policy_of_data());
  if (status == 405) response.add("Allow", "GET, HEAD");
  if (status == 401) response.add("WWW-Authenticate", "Bearer");
  if (status == 503) response.add("Retry-After", "1");
  return response;
}

}  // namespace

MHD_Result Server::on_request(void* server, MHD_Connection* connection, const char* path, const char* method, const char*, const char*,
                              std::size_t*, void**) {
  try {
    return static_cast<Server*>(server)->answer(connection, path, method);
  } catch (const std::exception& error) {
    try {
      return refusal(500, error.what()).queue(connection, 500);
    } catch (const std::exception&) {
      return MHD_NO;  // there is not even memory to say so; the connection is closed
    }
  }
}

MHD_Result Server::answer(MHD_Connection* connection, std::string_view path, std::string_view method) {
  Connection& state = state_of(connection);
  Connections::set(state, Connection::answered, time_now());
  const Request request{method, path, fields_of(connection, MHD_HEADER_KIND), fields_of(connection, MHD_GET_ARGUMENT_KIND)};
  Served served = served_;
  if (address_.every) std::ranges::copy(names_of_local_end(state.socket), std::back_inserter(served.hosts));
  const Verdict verdict = judge(request, served);
  if (verdict.status != 200) return refusal(verdict.status, verdict.reason).queue(connection, verdict.status);
  const Route& route = *find_route(path);
  if (route.content == Content::events) return answer_with_events(connection, state, route, method == "HEAD");
  if (route.content == Content::page) return answer_with_page(connection, route, nullptr);
  const Text text = shelf_.get(route.content, time_now());
  if (!text) return refusal(503, "Too much is being sent already. Try again in a moment.").queue(connection, 503);
  if (route.content == Content::page_with_run) return answer_with_page(connection, route, text);
  Response response = Response::of({*text}, text);
  const std::string policy = route.content == Content::report ? policy_of_report() : policy_of_data();
  return response.add("Content-Security-Policy", policy).describe(route).queue(connection, 200);
}

MHD_Result Server::answer_with_page(MHD_Connection* connection, const Route& route, const Text& data) const {
  struct Owned {
    std::string nonce;
    Text data;
  };
  const auto owned = std::make_shared<const Owned>(Owned{make_nonce(), data});
  Response response = Response::of(page_.pieces(owned->nonce, data ? std::string_view(*data) : std::string_view()), owned);
  return response.add("Content-Security-Policy", policy_of_page(owned->nonce)).describe(route).queue(connection, 200);
}

MHD_Result Server::answer_with_events(MHD_Connection* connection, Connection& state, const Route& route, bool only_headers) {
  if (streams_.full()) return refusal(503, "Too many listen already. Close a page, and try again.").queue(connection, 503);
  if (!only_headers) Connections::set(state, Connection::listening, time_now());
  Response response = only_headers ? Response::empty() : streams_.open(connection, state.socket);
  return response.add("Content-Security-Policy", policy_of_data()).describe(route).queue(connection, 200);
}

}  // namespace tidepool::inline v0::monitor::web
