// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// `text` as text of a page, or as the value of a quoted attribute: it stays text whatever it holds, and characters
/// without a shape are made visible.
std::string html_text(std::string_view text);

/// One segment of a relative address: no name leads to another folder or host.
std::string url_segment(std::string_view name);

/// JSON that may stand in a `script` element.
std::string html_json(std::string_view json);

/// A table with a caption and a row of headings. Cells are HTML, each with its tags: "<td>1</td>".
struct HtmlTable {
  std::string id;
  std::string caption;                ///< Text.
  std::vector<std::string> headings;  ///< Text.
  std::vector<std::string> rows;  ///< HTML: the cells of one row, or the whole row with its tags.
};

/// In a region that the keyboard can scroll. Empty where there are no rows.
std::string format_table(const HtmlTable& table);

/// The beginning of a section with a title, which is text.
std::string html_section(std::string_view title);

/// "<td>...</td>" around a text.
std::string html_cell(std::string_view text);
/// A number's cell, with what a program reads beside what a person reads.
std::string html_number(double value, std::string_view text);

/// A page that stands alone: it loads nothing, and runs no script but its own.
struct HtmlPage {
  std::string language;  ///< Its code: "en".
  std::string title;     ///< Text.
  std::string body;      ///< HTML.
  std::string data;      ///< JSON for the script.
  std::string script;    ///< May be empty: then the page is its HTML.
};

std::string format_page(const HtmlPage& page);

}  // namespace warpgrade
