// Whether a request is answered. A page in a user's browser can make requests to this machine, and by a name of its own that leads
// here even read the answers; so a request has to name us as its host, must not come from another site, and only reads.
//
//     const Verdict verdict = judge(request, served);
//     if (verdict.status != 200) refuse(verdict.status, verdict.reason);
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0::monitor::web {

struct Field {
  std::string_view name, value;
};

struct Request {
  std::string_view method, path;
  std::vector<Field> headers;    // names in any case
  std::vector<Field> arguments;  // of the address: ?name=value
};

struct Served {
  std::vector<std::string> hosts;  // what a client may call us: "127.0.0.1:8080"
  std::string token;               // "": none is wanted
};

struct Verdict {
  unsigned status = 200;
  std::string_view reason;  // a sentence that says what to do; nothing of the request is in it
};
Verdict judge(const Request& request, const Served& served);

// In a time that tells nothing of where they differ.
bool same_secret(std::string_view given, std::string_view wanted);

// Letters without their case, as in the names of hosts and headers.
bool same_word(std::string_view a, std::string_view b);

}  // namespace tidepool::inline v0::monitor::web
