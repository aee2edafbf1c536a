// SPDX-License-Identifier: MIT
#include "report/html.h"

#include <fmt/format.h>

#include <cctype>

#include "base/hash.h"
#include "base/text.h"
#include "report/web_assets.h"

namespace warpgrade {
namespace {

/// The same bytes in base64, as a content security policy writes a hash.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr size_t kHexInGroup = 6, kDigitsInGroup = 4;
  std::string out;
  for (size_t at = 0; at < hex.size(); at += kHexInGroup) {
    std::string group(hex.substr(at, kHexInGroup));
    const size_t digits = group.size() / 2 + 1;
    group.resize(kHexInGroup, '0');
    const unsigned long bits = std::stoul(group, nullptr, 16);
    for (size_t i = 0; i < kDigitsInGroup; ++i)
      out += i < digits ? kDigits[(bits >> (18 - 6 * i)) & 63] : '=';
  }
  return out;
}

std::string source_of(std::string_view text) {
  return text.empty() ? "'none'" : fmt::format("'sha256-{}'", base64_of_hex(sha256_hex(text)));
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string url_segment(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
                          c == '_' || (c == '.' && !out.empty());
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string html_json(std::string_view json) {
  std::string out;
  for (const char c : printable_json(json)) {
    const bool is_markup = c == '<' || c == '>' || c == '&';
    out += is_markup ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return out;
}

std::string html_section(std::string_view title) {
  return fmt::format("<section><h2>{}</h2>\n", html_text(title));
}

std::string html_cell(std::string_view text) { return fmt::format("<td>{}</td>", html_text(text)); }

std::string html_number(double value, std::string_view text) {
  return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, html_text(text));
}

std::string format_table(const HtmlTable& table) {
  if (table.rows.empty()) return {};
  std::string out = fmt::format(
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{0}-caption\">\n"
      "<table id=\"{0}\"><caption id=\"{0}-caption\">{1}</caption>\n<thead><tr>",
      table.id, html_text(table.caption));
  for (const std::string& heading : table.headings)
    out += fmt::format("<th scope=\"col\">{}</th>", html_text(heading));
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : table.rows)
    out += row.starts_with("<tr") ? row + '\n' : fmt::format("<tr>{}</tr>\n", row);
  return out + "</tbody></table></div>\n";
}

std::string format_page(const HtmlPage& page) {
  const std::string style = kPageStyle;
  const std::string data =
      page.script.empty()
          ? ""
          : fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                        html_json(page.data));
  const std::string script =
      page.script.empty() ? "" : fmt::format("<script>{}</script>\n", page.script);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
      "script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n{}{}{}</body>\n</html>\n",
      html_text(page.language), source_of(style), source_of(page.script), html_text(page.title),
      style, page.body, data, script);
}

}  // namespace warpgrade
