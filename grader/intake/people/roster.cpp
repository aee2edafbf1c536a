// SPDX-License-Identifier: MIT
#include "intake/people/roster.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "intake/people/name_key.h"
#include "intake/people/table.h"

namespace warpgrade {
namespace {

using Column = std::optional<size_t>;

/// Where a roster keeps what it says about a person.
struct Columns {
  Column student, name, first_name, last_name;
  std::map<std::string, Column> ids;

  bool any() const {
    bool found = student || name || (first_name && last_name);
    for (const auto& [kind, column] : ids) found = found || column;
    return found;
  }
};

bool is_canvas(const Table& table) {
  return table.column({"Student"}) && table.column({"ID"}) &&
         table.column({"Section", "SIS Login ID", "SIS User ID"});
}

Columns find_columns(const Table& table) {
  Columns columns;
  const bool canvas = is_canvas(table);
  const Column github = table.column({"github_username", "github", "GitHub login"});
  const Column identifier = table.column({"Identifier"});
  columns.student = canvas ? std::nullopt : table.column({"student"});
  // GitHub Classroom's word for what the staff called the student.
  if (!columns.student && github) columns.student = identifier;
  columns.name = canvas ? table.column({"Student"}) : table.column({"Name", "Full name"});
  columns.first_name = table.column({"First name"});
  columns.last_name = table.column({"Last name", "Surname"});
  columns.ids = {
      {"canvas", canvas ? table.column({"ID"}) : table.column({"canvas"})},
      {"moodle", github ? table.column({"moodle"}) : table.column({"moodle", "Identifier"})},
      {"github", github},
      {"sis", table.column({"SIS User ID", "SIS ID", "SID", "ID number", "sis"})},
      {"login", table.column({"SIS Login ID", "login", "Username"})},
      {"email", table.column({"Email address", "Email", "E-mail"})}};
  return columns;
}

/// Moodle's worksheet says "Participant 123" in the site's own language.
std::string participant_number(const std::string& cell) {
  const size_t blank = cell.rfind(' ');
  return blank == std::string::npos ? cell : cell.substr(blank + 1);
}

/// Rows that stand for no student: Canvas's row of points and its test student.
bool is_no_student(const std::string& name) {
  const std::string key = name_key(name);
  return key == "points possible" || key == "student, test" || key == "test student";
}

Identity read_identity(const Table::Row& row, const Columns& columns) {
  Identity identity;
  identity.name = Table::cell(row, columns.name);
  if (identity.name.empty())
    identity.name =
        trim(Table::cell(row, columns.first_name) + ' ' + Table::cell(row, columns.last_name));
  for (const auto& [kind, column] : columns.ids) {
    std::string id = Table::cell(row, column);
    if (kind == "moodle") id = participant_number(id);
    if (!id.empty()) identity.ids[kind] = std::move(id);
  }
  return identity;
}

/// People by everything that may be said of them.
class PeopleIndex {
 public:
  explicit PeopleIndex(const Roster& roster) {
    for (size_t i = 0; i < roster.people.size(); ++i) {
      const Person& person = roster.people[i];
      for (const auto& [kind, id] : person.identity.ids) add_id(kind, id, i);
      if (!person.student.empty()) add_id("student", person.student, i);
      if (!person.identity.name.empty()) names_[person_key(person.identity.name)].insert(i);
    }
  }

  std::set<size_t> find(const Submission& submission) const {
    std::set<size_t> found;
    for (const auto& [kind, id] : submission.identity.ids)
      take(same_kind_, {kind, name_key(id)}, found);
    if (!found.empty()) return found;
    take(any_kind_, name_key(submission.student), found);
    for (const auto& [kind, id] : submission.identity.ids) take(any_kind_, name_key(id), found);
    if (!found.empty()) return found;
    if (!submission.identity.name.empty())
      take(names_, person_key(submission.identity.name), found);
    if (found.empty()) take(names_, person_key(submission.student), found);
    return found;
  }

 private:
  void add_id(const std::string& kind, const std::string& id, size_t person) {
    same_kind_[{kind, name_key(id)}].insert(person);
    any_kind_[name_key(id)].insert(person);
  }

  template <class Map>
  static void take(const Map& map, const typename Map::key_type& key, std::set<size_t>& found) {
    if (const auto place = map.find(key); place != map.end())
      found.insert(place->second.begin(), place->second.end());
  }

  std::map<std::pair<std::string, std::string>, std::set<size_t>> same_kind_;
  std::map<std::string, std::set<size_t>> any_kind_, names_;
};

void fill(Submission& submission, const Person& person) {
  if (!person.identity.name.empty()) submission.identity.name = person.identity.name;
  for (const auto& [kind, id] : person.identity.ids) submission.identity.ids.emplace(kind, id);
  if (!person.student.empty()) submission.identity.ids.emplace("student", person.student);
}

std::string doubt(const Submission& submission, const Roster& roster,
                  const std::set<size_t>& people) {
  std::vector<std::string> called;
  for (const size_t each : people)
    called.push_back(
        fmt::format("{} ({})", roster.people[each].called(), roster.people[each].place));
  return fmt::format("{} may be {}", submission.student, join(called, " or "));
}

}  // namespace

std::string Person::called() const {
  if (!identity.name.empty()) return printable(identity.name);
  if (!student.empty()) return printable(student);
  return identity.ids.empty() ? place : printable(identity.ids.begin()->second);
}

std::string Person::id() const {
  if (!student.empty()) return student;
  return identity.ids.empty() ? identity.name : identity.ids.begin()->second;
}

Result<Roster> parse_roster(std::string_view csv, std::string_view name) {
  if (!is_utf8(csv))
    return Error{fmt::format("{}:1: the file is not UTF-8 text; save it as \"CSV UTF-8\"", name)};
  const Table table = parse_table(csv);
  const Columns columns = find_columns(table);
  if (!columns.any())
    return Error{
        fmt::format("{}:1: no column names the student; call one 'student', 'name' or 'email' "
                    "(its columns are {})",
                    name, printable(join(table.header, ", ")))};
  Roster roster{std::string(name), {}};
  for (const Table::Row& row : table.rows) {
    Person person{fmt::format("{}:{}", name, row.line), Table::cell(row, columns.student),
                  read_identity(row, columns)};
    const bool is_blank =
        person.student.empty() && person.identity.name.empty() && person.identity.ids.empty();
    if (!is_blank && !is_no_student(person.identity.name))
      roster.people.push_back(std::move(person));
  }
  if (roster.people.empty()) return Error{fmt::format("{}: the roster lists no student", name)};
  return roster;
}

RosterMatch match_roster(const Roster& roster, std::vector<Submission>& submissions) {
  const PeopleIndex index(roster);
  std::map<size_t, std::vector<std::string>> by_person;
  RosterMatch match;
  for (Submission& submission : submissions) {
    const std::set<size_t> people = index.find(submission);
    if (people.size() == 1) {
      fill(submission, roster.people[*people.begin()]);
      by_person[*people.begin()].push_back(submission.student);
    } else if (people.empty()) {
      match.unmatched.push_back(fmt::format("{} is not on the roster", submission.student));
    } else {
      match.unmatched.push_back(doubt(submission, roster, people));
    }
  }
  for (size_t i = 0; i < roster.people.size(); ++i) {
    const Person& person = roster.people[i];
    const std::vector<std::string>& students = by_person[i];
    if (students.empty()) match.absent.push_back(person);
    if (students.size() > 1)
      match.unmatched.push_back(fmt::format("{} are all submissions of {} ({})",
                                            join(students, ", "), person.called(), person.place));
    if (!students.empty()) ++match.handed_in;
  }
  return match;
}

std::string RosterMatch::format(const Roster& roster) const {
  std::string out = fmt::format("{} of {} on {} handed in\n", handed_in,
                                counted(static_cast<long>(roster.people.size()), "student"),
                                printable(roster.name));
  for (const Person& person : absent)
    out += fmt::format("  {} ({}) handed nothing in\n", person.called(), person.place);
  for (const std::string& line : unmatched) out += "  " + line + '\n';
  return out;
}

}  // namespace warpgrade
