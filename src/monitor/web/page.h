// The page as it is embedded: one document, everything inside.
//
//     const Page page(page_parts());
//     page.pieces(nonce, "");                // to be sent one after another
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0::monitor::web {

struct PageParts {
  std::string_view index, style, chart, app;
};
PageParts page_parts();  // made at build time, by cmake/embed_page.cmake

class Page {
 public:
  // The index says by /*{style}*/, /*{chart}*/, /*{app}*/, {nonce} and {data} what goes where. The parts have to last.
  explicit Page(const PageParts& parts);

  // Nothing is copied: the pieces point into the parts, the nonce and the data.
  std::vector<std::string_view> pieces(std::string_view nonce, std::string_view data) const;

 private:
  enum class Kind { text, nonce, data };
  struct Piece {
    Kind kind;
    std::string_view text;
  };
  std::vector<Piece> pieces_;
};

std::string make_nonce();  // 128 random bits: what a browser has to see before it runs a script of the page

std::string policy_of_page(std::string_view nonce);  // the Content-Security-Policy that goes with it
std::string policy_of_report();                      // of a document without scripts, its styles in it
std::string policy_of_data();                        // of all else

// JSON that may stand within <script>.
std::string escaped_for_script(std::string json);

}  // namespace tidepool::inline v0::monitor::web
