#include "monitor/web/guard.h"

#include <algorithm>
#include <optional>

#include "monitor/web/routes.h"

namespace tidepool::inline v0::monitor::web {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The one value of that name; nothing where there is none or several, of which `several` tells.
std::optional<std::string_view> only(const std::vector<Field>& fields, std::string_view name, bool& several) {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (!same_word(field.name, name)) continue;
    if (found) several = true;
    found = field.value;
  }
  return several ? std::nullopt : found;
}

bool is_ours(std::string_view host, const Served& served) {
  return std::ranges::any_of(served.hosts, [&](const std::string& ours) { return same_word(host, ours); });
}

bool names_us(const Request& request, const Served& served) {
  bool several = false;
  const auto host = only(request.headers, "Host", several);
  return host && is_ours(*host, served);
}

// What browsers add to requests that a page makes. Other programs, and addresses that a user types, have neither.
bool is_from_another_site(const Request& request, const Served& served) {
  bool several = false;
  const auto origin = only(request.headers, "Origin", several);
  const auto site = only(request.headers, "Sec-Fetch-Site", several);
  if (several) return true;
  if (site && *site != "same-origin" && *site != "none") return true;
  constexpr std::string_view scheme = "http://";
  return origin && !(origin->starts_with(scheme) && is_ours(origin->substr(scheme.size()), served));
}

bool has_body(const Request& request) {
  return std::ranges::any_of(request.headers, [](const Field& field) {
    return same_word(field.name, "Transfer-Encoding") || (same_word(field.name, "Content-Length") && field.value != "0");
  });
}

bool shows_token(const Request& request, const Served& served) {
  if (served.token.empty()) return true;
  bool several = false;
  const auto argument = only(request.arguments, "token", several);
  const auto header = only(request.headers, "Authorization", several);
  if (several) return false;
  constexpr std::string_view scheme = "Bearer ";
  if (header && header->size() > scheme.size() && same_word(header->substr(0, scheme.size()), scheme))
    return same_secret(header->substr(scheme.size()), served.token);
  return argument && same_secret(*argument, served.token);
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool same_secret(std::string_view given, std::string_view wanted) {
  if (wanted.empty()) return false;
  unsigned different = given.size() == wanted.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i % wanted.size()]));
  return different == 0;
}

Verdict judge(const Request& request, const Served& served) {
  if (!names_us(request, served)) return {421, "This is not the host that was asked for. Open the address that the program printed."};
  if (is_from_another_site(request, served))
    return {403, "Requests from other sites are not answered. Type the address that the program printed into the browser."};
  if (request.method != "GET" && request.method != "HEAD") return {405, "Everything here is for reading: use GET."};
  if (has_body(request)) return {400, "A request that reads has no body."};
  if (!shows_token(request, served))
    return {401, "A token is wanted. Open the address that the program printed, or send \"Authorization: Bearer\" and the token."};
  if (!find_route(request.path)) return {404, "There is nothing here. The page is at /."};
  return {};
}

}  // namespace tidepool::inline v0::monitor::web
