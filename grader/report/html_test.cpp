// SPDX-License-Identifier: MIT
#include "report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

TEST(HtmlText, EscapesMarkupAndShowsWhatHasNoShape) {
  EXPECT_EQ(html_text("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(html_text("a\x1b[1m\u202e"), "a\\x1b[1m\\u{202e}");
  EXPECT_EQ(html_text("two\nlines"), "two\nlines");
}

TEST(UrlSegment, NeverLeavesItsFolder) {
  EXPECT_EQ(url_segment("student-1_a.b"), "student-1_a.b");
  EXPECT_EQ(url_segment("../x"), "%2E.%2Fx");
  EXPECT_EQ(url_segment("javascript:1"), "javascript%3A1");
}

TEST(HtmlJson, MeansTheSameWithoutMarkup) {
  const nlohmann::json value = {{"name", "</script><!--&\u2028"}};
  const std::string safe = html_json(value.dump());
  EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(safe.find("\u2028"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), value);
}

TEST(FormatPage, AllowsItsOwnScriptByHashAndNothingElse) {
  const std::string page = format_page({"en", "t", "<p>b</p>", "{}", "alert(1)"});
  // What `printf 'alert(1)' | openssl dgst -sha256 -binary | base64` prints.
  EXPECT_NE(page.find("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"),
            std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(FormatPage, IsItsHtmlWithoutAScript) {
  const std::string page = format_page({"en", "t", "<p>b</p>", "{}", ""});
  EXPECT_NE(page.find("script-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(FormatTable, IsEmptyWithoutRows) {
  EXPECT_EQ(format_table({"id", "caption", {"a"}, {}}), "");
  EXPECT_NE(format_table({"id", "caption", {"a"}, {html_cell("<")}}).find("<tr><td>&lt;</td></tr>"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgrade
