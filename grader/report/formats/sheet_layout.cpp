// SPDX-License-Identifier: MIT
#include "report/formats/sheet_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"

namespace warpgrade {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string lower(std::string_view text) {
  std::string out(trim(text));
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "Lab 1" and "12345" of "Lab 1 (12345)"; the second is empty where nothing stands in parentheses.
std::pair<std::string, std::string> title_and_suffix(std::string_view header) {
  header = trim(header);
  const size_t open = header.rfind('(');
  if (open == std::string_view::npos || !header.ends_with(')')) return {std::string(header), ""};
  return {std::string(trim(header.substr(0, open))),
          std::string(header.substr(open + 1, header.size() - open - 2))};
}

/// Columns by what their header says of a person: a kind of id, or a part of the name.
using PersonColumns = std::map<std::string, size_t>;

PersonColumns person_columns(const Sheet& sheet, const std::map<std::string, std::string>& kinds) {
  PersonColumns columns;
  for (size_t i = 0; i < sheet.rows()[0].size(); ++i) {
    const auto kind = kinds.find(lower(sheet.text(0, i)));
    if (kind != kinds.end()) columns.emplace(kind->second, i);
  }
  return columns;
}

/// The number at the end of "Participant 123", whatever the word is in the site's language.
std::string last_number(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

SheetPerson person_of(const Sheet& sheet, size_t row, const PersonColumns& columns) {
  SheetPerson person;
  person.row = row;
  std::string given, family;
  for (const auto& [kind, column] : columns) {
    const std::string text(trim(sheet.text(row, column)));
    if (text.empty()) continue;
    if (kind == "name") {
      person.name = text;
    } else if (kind == "given") {
      given = text;
    } else if (kind == "family") {
      family = text;
    } else {
      person.ids[kind] = kind == "moodle" ? last_number(text) : text;
    }
  }
  if (person.name.empty()) person.name = trim(given + ' ' + family);
  return person;
}

bool is_person(size_t column, const PersonColumns& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [column](const auto& each) { return each.second == column; });
}

Result<SheetLayout> lay_out_canvas(const Sheet& sheet, const SheetRequest& request) {
  const PersonColumns columns = person_columns(sheet, {{"student", "name"},
                                                       {"student name", "name"},
                                                       {"firstname", "given"},
                                                       {"first name", "given"},
                                                       {"lastname", "family"},
                                                       {"last name", "family"},
                                                       {"id", "canvas"},
                                                       {"sis user id", "sis"},
                                                       {"sis login id", "login"},
                                                       {"integration id", "integration"},
                                                       {"root account", "account"},
                                                       {"section", "section"}});
  const auto section = columns.find("section");
  if (columns.count("canvas") == 0 || section == columns.end())
    return Error{fmt::format(
        "{} is no gradebook of Canvas: the first line has no columns 'ID' and 'Section'. Export it "
        "in Canvas by Grades, Export, Export Entire Gradebook, with English as your language",
        request.name)};
  SheetLayout layout;
  for (size_t i = section->second + 1; i < sheet.rows()[0].size(); ++i) {
    const bool has_id = is_number(title_and_suffix(sheet.text(0, i)).second);
    (has_id ? layout.grades : layout.others).push_back(i);
  }
  PersonColumns who = columns;
  for (const char* kind : {"section", "account", "integration"}) who.erase(kind);
  for (size_t row = 1; row < sheet.rows().size(); ++row) {
    SheetPerson person = person_of(sheet, row, who);
    // Rows above the students have no id.
    if (person.ids.count("canvas") != 0) {
      layout.people.push_back(std::move(person));
    } else if (lower(sheet.text(row, 0)) == "points possible") {
      layout.points_row = row;
    }
  }
  return layout;
}

/// The first column whose every cell has an '@', since the headers are in the site's language.
void find_email(const Sheet& sheet, PersonColumns& columns) {
  if (columns.count("email") != 0) return;
  for (size_t i = 0; i < sheet.rows()[0].size(); ++i) {
    size_t row = 1;
    while (row < sheet.rows().size() && sheet.text(row, i).find('@') != std::string_view::npos)
      ++row;
    if (row != sheet.rows().size() || row == 1) continue;
    columns["email"] = i;
    return;
  }
}

/// "Participant 123" in every row of the first column makes it the worksheet of an assignment.
bool is_worksheet(const Sheet& sheet) {
  size_t row = 1;
  for (; row < sheet.rows().size(); ++row) {
    const std::string_view text = trim(sheet.text(row, 0));
    if (text.empty() || is_digit(text.front()) || last_number(text).empty()) break;
  }
  return row > 1 && row == sheet.rows().size();
}

Result<SheetLayout> lay_out_moodle(const Sheet& sheet, const SheetRequest& request) {
  PersonColumns columns = person_columns(sheet, {{"identifier", "moodle"},
                                                 {"full name", "name"},
                                                 {"first name", "given"},
                                                 {"surname", "family"},
                                                 {"last name", "family"},
                                                 {"email address", "email"},
                                                 {"id number", "sis"},
                                                 {"username", "login"}});
  if (is_worksheet(sheet)) columns["moodle"] = 0;
  find_email(sheet, columns);
  if (columns.count("moodle") == 0 && columns.count("email") == 0)
    return Error{fmt::format(
        "{} is no sheet of Moodle: it has neither a column of 'Participant 123' nor one of e-mail "
        "addresses. Take the assignment's grading worksheet, or the gradebook exported as plain "
        "text",
        request.name)};
  SheetLayout layout;
  for (size_t i = 0; i < sheet.rows()[0].size(); ++i) {
    const std::string header = lower(sheet.text(0, i));
    const auto [title, suffix] = title_and_suffix(header);
    const bool is_total = title == "course total" || title == "category total";
    const bool is_grade =
        columns.count("moodle") != 0 ? header == "grade" : suffix == "real" || suffix == "points";
    if (header == "maximum grade") {
      layout.points_column = i;
    } else if (!is_person(i, columns)) {
      (is_grade && !is_total ? layout.grades : layout.others).push_back(i);
    }
  }
  for (size_t row = 1; row < sheet.rows().size(); ++row) {
    SheetPerson person = person_of(sheet, row, columns);
    if (!person.ids.empty()) layout.people.push_back(std::move(person));
  }
  return layout;
}

std::string list_columns(const Sheet& sheet, const std::vector<size_t>& columns) {
  std::vector<std::string> headers;
  for (const size_t each : columns)
    headers.push_back(fmt::format("'{}'", printable(trim(sheet.text(0, each)))));
  return headers.empty() ? "it has none" : join(headers, ", ");
}

}  // namespace

Result<SheetLayout> lay_out(const Sheet& sheet, const SheetRequest& request) {
  Result<SheetLayout> layout =
      request.lms == Lms::kCanvas ? lay_out_canvas(sheet, request) : lay_out_moodle(sheet, request);
  if (layout && layout->people.empty())
    return Error{fmt::format("{} has no row of a student", request.name)};
  return layout;
}

Result<size_t> choose_column(const Sheet& sheet, const SheetLayout& layout,
                             const SheetRequest& request) {
  if (request.column.empty()) {
    if (layout.grades.size() == 1) return layout.grades.front();
    return Error{fmt::format("{}: name the assignment's column with --column: {}", request.name,
                             list_columns(sheet, layout.grades))};
  }
  const std::string wanted(trim(request.column));
  std::vector<size_t> all = layout.grades, exact, close;
  all.insert(all.end(), layout.others.begin(), layout.others.end());
  for (const size_t each : all) {
    const auto [title, suffix] = title_and_suffix(sheet.text(0, each));
    if (trim(sheet.text(0, each)) == wanted) exact.push_back(each);
    if (title == wanted || suffix == wanted) close.push_back(each);
  }
  const std::vector<size_t>& found = exact.empty() ? close : exact;
  if (found.size() == 1) return found.front();
  return Error{fmt::format("{}: {} '{}' as an assignment's column: {}", request.name,
                           found.empty() ? "nothing is called" : "several are called",
                           printable(wanted),
                           list_columns(sheet, found.empty() ? layout.grades : found))};
}

}  // namespace warpgrade
