// Answers, with the headers that every one of them has.
//
//     Response response = Response::of(pieces, owner);
//     response.add("Content-Type", "text/html");
//     return response.queue(connection, 200);
#pragma once

#include <microhttpd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/web/routes.h"

namespace tidepool::inline v0::monitor::web {

class Response {
 public:
  // The pieces are sent one after another without being copied; the owner, if any, is what keeps them.
  static Response of(const std::vector<std::string_view>& pieces, std::shared_ptr<const void> owner);
  static Response of_text(std::string text);
  // Read bit by bit, without an end known in advance; `done` is called when nobody will read on.
  static Response of_reader(MHD_ContentReaderCallback read, void* state, MHD_ContentReaderFreeCallback done);
  static Response empty();

  Response& add(const char* name, const std::string& value);
  Response& describe(const Route& route);  // its type, and the name to save it under
  MHD_Result queue(MHD_Connection* connection, unsigned status) const;

 private:
  struct Destroy {
    void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
  };
  explicit Response(MHD_Response* response);
  std::unique_ptr<MHD_Response, Destroy> response_;
};

}  // namespace tidepool::inline v0::monitor::web
