// Who is answered, by the rules alone.
#include "monitor/web/guard.h"

#include <tidepool/error.h>

#include <gtest/gtest.h>

#include "monitor/web/address.h"
#include "monitor/web/page.h"
#include "support/errors.h"

namespace tidepool::inline v0::monitor::web {
namespace {

const Served open{{"127.0.0.1:8080", "localhost:8080", "[::1]:8080"}, ""};
const Served closed{{"10.0.0.5:8080"}, "a-token-of-24-characters"};

Request asking(std::vector<Field> headers = {}, std::string_view path = "/", std::string_view method = "GET") {
  headers.insert(headers.begin(), {"Host", "127.0.0.1:8080"});
  return {method, path, headers, {}};
}

TEST(WebGuard, AnswersWhoeverCallsUsByOurNames) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"})
    EXPECT_EQ(judge({"GET", "/", {{"host", host}}, {}}, open).status, 200U) << host;
}

TEST(WebGuard, RefusesWhoeverCallsUsByAnotherName) {
  for (const char* host : {"evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "localhost:8080.evil.example", "evil.localhost:8080", "",
                           "127.0.0.1:8080:8080", "user@127.0.0.1:8080", "127.0.0.1:08080", " 127.0.0.1:8080"})
    EXPECT_EQ(judge({"GET", "/", {{"Host", host}}, {}}, open).status, 421U) << host;
  EXPECT_EQ(judge({"GET", "/", {}, {}}, open).status, 421U) << "no Host at all";
  EXPECT_EQ(judge({"GET", "/", {{"Host", "127.0.0.1:8080"}, {"Host", "evil.example"}}, {}}, open).status, 421U) << "two of them";
}

TEST(WebGuard, RefusesWhatPagesOfOtherSitesAskFor) {
  for (const char* origin :
       {"http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081", "http://127.0.0.1:8080.evil.example", "null", ""})
    EXPECT_EQ(judge(asking({{"Origin", origin}}), open).status, 403U) << origin;
  for (const char* site : {"cross-site", "same-site", "anything"})
    EXPECT_EQ(judge(asking({{"Sec-Fetch-Site", site}}), open).status, 403U) << site;
  EXPECT_EQ(judge(asking({{"Origin", "http://127.0.0.1:8080"}, {"Origin", "http://evil.example"}}), open).status, 403U);
}

TEST(WebGuard, AnswersOurOwnPage) {
  EXPECT_EQ(judge(asking({{"Origin", "http://127.0.0.1:8080"}, {"Sec-Fetch-Site", "same-origin"}}), open).status, 200U);
  EXPECT_EQ(judge(asking({{"Sec-Fetch-Site", "none"}}), open).status, 200U) << "typed into the browser";
}

TEST(WebGuard, OnlyReads) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"})
    EXPECT_EQ(judge(asking({}, "/", method), open).status, 405U) << method;
  EXPECT_EQ(judge(asking({}, "/", "HEAD"), open).status, 200U);
  EXPECT_EQ(judge(asking({{"Content-Length", "5"}}), open).status, 400U);
  EXPECT_EQ(judge(asking({{"Transfer-Encoding", "chunked"}}), open).status, 400U);
}

TEST(WebGuard, KnowsItsPathsToTheLetter) {
  for (const char* path :
       {"/index.html", "/..", "/../run.json", "/./run.json", "//run.json", "/run.json/", "/%72un.json", "/run.json%00", "/RUN.JSON",
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "run.json", "", "http://127.0.0.1:8080/run.json", "*"})
    EXPECT_EQ(judge(asking({}, path), open).status, 404U) << path;
}

TEST(WebGuard, WantsTheTokenWhereThereIsOne) {
  const std::vector<Field> host{{"Host", "10.0.0.5:8080"}};
  const auto with = [&](std::vector<Field> arguments, std::vector<Field> more = {}) {
    more.insert(more.begin(), host.begin(), host.end());
    return judge({"GET", "/", more, std::move(arguments)}, closed).status;
  };
  EXPECT_EQ(with({{"token", "a-token-of-24-characters"}}), 200U);
  EXPECT_EQ(with({}, {{"Authorization", "Bearer a-token-of-24-characters"}}), 200U);
  EXPECT_EQ(with({}), 401U);
  for (const char* wrong :
       {"", "a", "a-token-of-24-character", "a-token-of-24-charactersX", "a-token-of-24-characterz", "A-token-of-24-characters"}) {
    EXPECT_EQ(with({{"token", wrong}}), 401U) << wrong;
    EXPECT_EQ(with({}, {{"Authorization", std::string("Bearer ") + wrong}}), 401U) << wrong;
  }
  EXPECT_EQ(with({}, {{"Authorization", "Basic a-token-of-24-characters"}}), 401U);
  EXPECT_EQ(with({{"token", "wrong"}, {"token", "a-token-of-24-characters"}}), 401U) << "one of two is no token";
}

TEST(WebGuard, ComparesSecretsToTheEnd) {
  EXPECT_TRUE(same_secret("0123456789abcdef", "0123456789abcdef"));
  EXPECT_FALSE(same_secret("0123456789abcdefX", "0123456789abcdef"));
  EXPECT_FALSE(same_secret("0123456789abcdef0123456789abcdef", "0123456789abcdef")) << "the secret twice";
  EXPECT_FALSE(same_secret("X123456789abcdef", "0123456789abcdef"));
  EXPECT_FALSE(same_secret("", "0123456789abcdef"));
  EXPECT_FALSE(same_secret("", ""));
}

TEST(WebAddress, KnowsWhoCanConnect) {
  EXPECT_TRUE(parse_address("127.0.0.1", 0).loopback);
  EXPECT_TRUE(parse_address("127.1.2.3", 0).loopback);
  EXPECT_TRUE(parse_address("localhost", 0).loopback);
  EXPECT_TRUE(parse_address("::1", 0).loopback);
  for (const char* host : {"0.0.0.0", "::", "10.0.0.5", "::ffff:127.0.0.1", "fe80::1"})
    EXPECT_FALSE(parse_address(host, 0).loopback) << host;
  EXPECT_TRUE(parse_address("0.0.0.0", 0).every);
  EXPECT_TRUE(parse_address("::", 0).every);
}

TEST(WebAddress, SaysWhatIsNoAddressAndWhatToGive) {
  for (const char* host : {"", "example.com", "127.0.0.1:80", "1.2.3", "256.0.0.1", "http://127.0.0.1", "[::1"}) {
    const std::string message = message_of<ArgumentError>([&] { parse_address(host, 0); });
    EXPECT_HAS(message, "'" + std::string(host) + "' is no address: give one of this machine in numbers, such as 127.0.0.1 or ::1");
  }
  for (const std::int64_t port : {-1L, 65536L, 1L << 40})
    EXPECT_HAS(message_of<ArgumentError>([&] { parse_address("127.0.0.1", port); }), "choose one of 1 to 65535, or 0 for one that is free");
}

TEST(WebAddress, OthersThanThisMachineNeedALongPlainToken) {
  const Address loopback = parse_address("127.0.0.1", 80), every = parse_address("0.0.0.0", 80), one = parse_address("10.0.0.5", 80);
  check_token("", loopback);
  check_token("0123456789abcdef", every);
  EXPECT_HAS(message_of<ArgumentError>([&] { check_token("", every); }), "give a token of at least 16 characters, or serve at 127.0.0.1");
  EXPECT_HAS(message_of<ArgumentError>([&] { check_token("", one); }), "others than this machine can connect to 10.0.0.5");
  EXPECT_HAS(message_of<ArgumentError>([&] { check_token("0123456789abcde", every); }),
             "the token has 15 characters: give one of 16 to 256");
  EXPECT_HAS(message_of<ArgumentError>([&] { check_token("0123456789abcde", loopback); }), "the token has 15 characters");
  for (const char* odd : {"0123456789abcdef&", "0123456789 abcdef", "0123456789abcdef\r\nX: y", "0123456789abcdef%20", "0123456789abcdefä"})
    EXPECT_HAS(message_of<ArgumentError>([&] { check_token(odd, every); }), "use letters, digits, and -._~");
}

TEST(WebAddress, IsCalledByWhatItIs) {
  EXPECT_EQ(names_of(parse_address("10.0.0.5", 8080)), std::vector<std::string>{"10.0.0.5:8080"});
  EXPECT_EQ(names_of(parse_address("127.0.0.1", 80)), (std::vector<std::string>{"127.0.0.1:80", "127.0.0.1", "127.0.0.1:80", "127.0.0.1",
                                                                                "localhost:80", "localhost", "[::1]:80", "[::1]"}));
  EXPECT_EQ(names_at("192.168.1.5", 8080), std::vector<std::string>{"192.168.1.5:8080"});
  EXPECT_EQ(names_at("192.168.1.5", 80), (std::vector<std::string>{"192.168.1.5:80", "192.168.1.5"})) << "as browsers call that port";
  EXPECT_EQ(url_of(parse_address("::1", 8080), ""), "http://[::1]:8080/");
  EXPECT_EQ(url_of(parse_address("0.0.0.0", 8080), "abc"), "http://127.0.0.1:8080/?token=abc");
}

TEST(WebPage, OnlyTheIndexSaysWhatGoesWhere) {
  const Page page(
      {"<style nonce=\"{nonce}\">/*{style}*/</style>{data}<script>/*{chart}*/;/*{app}*/</script>", "s{nonce}", "c{data}", "a/*{style}*/"});
  std::string text;
  for (const std::string_view piece : page.pieces("N", "D")) text += piece;
  EXPECT_EQ(text, "<style nonce=\"N\">s{nonce}</style>D<script>c{data};a/*{style}*/</script>");
}

TEST(WebPage, NoPartOfItEndsTheElementThatItIsIn) {
  const PageParts parts = page_parts();
  EXPECT_GT(parts.chart.size(), 100'000U);
  for (const std::string_view part : {parts.chart, parts.app, parts.style}) {
    EXPECT_FALSE(part.empty());
    EXPECT_EQ(part.find("</script"), std::string_view::npos);
    EXPECT_EQ(part.find("<!--"), std::string_view::npos);
    EXPECT_EQ(part.find("</style"), std::string_view::npos);
  }
  for (const char* mark :
       {"/*{style}*/", "/*{chart}*/", "/*{app}*/", ">{data}</script>", "<script nonce=\"{nonce}\">", "<style nonce=\"{nonce}\">"})
    EXPECT_NE(parts.index.find(mark), std::string_view::npos) << mark;
}

TEST(WebPage, DataCannotEndItsScript) { EXPECT_EQ(escaped_for_script("[\"</script>\"]"), "[\"\\u003c/script>\"]"); }

}  // namespace
}  // namespace tidepool::inline v0::monitor::web
