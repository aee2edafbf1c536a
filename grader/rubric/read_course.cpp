// SPDX-License-Identifier: MIT
#include "rubric/read_course.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "rubric/check_items.h"
#include "rubric/read_proof.h"
#include "rubric/read_settings.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

Type<std::string> language_type() {
  Choices<std::string> choices;
  for (const std::string& code : languages()) choices.emplace_back(code, code);
  return choice_type(choices);
}

void ask(Fields& fields, Course::Entry& entry) {
  fields.required("slug", name_type(), entry.slug, "The assignment, by the name of its rubric.");
  fields.optional("weight", number_type(0, 1000), entry.weight,
                  "Its part of the course's grade, beside the weights of the others.");
  fields.optional("due", moment_type(), entry.due, "When its answers are due.");
}

void ask(Fields& fields, Course& course) {
  fields.optional("title", text_type(), course.title, "What a reader calls the course.");
  fields.optional(
      "language", language_type(), course.language,
      "What the grader says to students is in this language, and so are titles, hints and "
      "handouts where they have been translated.");
  fields.optional(
      "assignments",
      list_type(map_type<Course::Entry>(
          "an assignment", [](Fields& own, Course::Entry& entry) { ask(own, entry); })),
      course.assignments,
      "The assignments in the order of the course. One that is not listed comes after them, weighs "
      "1 and has no due date.");
  fields.optional("devices", devices_type(), course.devices,
                  "The devices of the emulated machine, device 0 first.");
  fields.optional("limits", limits_type(course.limits), course.limits, "What one program may use.");
  fields.optional("late", late_type(course.late), course.late, "What it costs to be late.");
  fields.optional("proof", proof_type(), course.proof,
                  "What `warpgrade check` demands of the course's wrong answers.");
}

/// Each listed assignment has a rubric, and is listed once.
void check_entries(const Yaml& root, const std::optional<std::vector<std::string>>& slugs,
                   Diagnostics& errors) {
  const Yaml* list = root.find("assignments");
  std::map<std::string, int> seen;
  for (const Yaml& entry : list == nullptr ? std::vector<Yaml>() : list->elements) {
    const Yaml* slug = entry.find("slug");
    if (slug == nullptr) continue;
    const auto [first, is_new] = seen.emplace(slug->text, slug->place.line);
    if (!is_new)
      errors.add(slug->place, fmt::format("'{}' is listed in line {} already; remove one of them",
                                          slug->text, first->second));
    if (!slugs || std::count(slugs->begin(), slugs->end(), slug->text) > 0) continue;
    const std::string meant = nearest(slug->text, *slugs);
    errors.add(slug->place, fmt::format("there is no {}.yaml beside this file; {}", slug->text,
                                        meant.empty() ? "write it, or remove this"
                                                      : fmt::format("did you mean '{}'?", meant)));
  }
}

/// Each extension for one assignment is for one that there is.
void check_extensions(const Yaml& root, const std::optional<std::vector<std::string>>& slugs,
                      Diagnostics& errors) {
  const Yaml* late = root.find("late");
  const Yaml* list = late == nullptr ? nullptr : late->find("extensions");
  if (list == nullptr || !slugs) return;
  for (const Yaml& extension : list->elements) {
    const Yaml* slug = extension.find("assignment");
    if (slug != nullptr) check_known(*slug, "assignment", *slugs, errors);
  }
}

}  // namespace

Course check_course(std::string_view text, const std::optional<std::vector<std::string>>& slugs,
                    Diagnostics& errors) {
  const Yaml root = parse_yaml(text, errors);
  Course course;
  // A file of comments says nothing, which is a way to begin.
  if (!errors.empty() || root.kind == Yaml::Kind::kNull) return course;
  Fields fields(root, "the course", errors);
  ask(fields, course);
  fields.finish();
  note_origins(root, SettingOrigin::kCourse, course.origins);
  check_entries(root, slugs, errors);
  check_extensions(root, slugs, errors);
  check_mistakes(root, errors);
  return course;
}

std::string_view to_string(SettingOrigin origin) {
  return origin == SettingOrigin::kDefault  ? "default"
         : origin == SettingOrigin::kCourse ? "course"
                                            : "rubric";
}

const Course::Entry* Course::find(std::string_view slug) const {
  const auto found = std::find_if(assignments.begin(), assignments.end(),
                                  [&](const Entry& entry) { return entry.slug == slug; });
  return found == assignments.end() ? nullptr : &*found;
}

std::vector<std::string> slugs_in(const Files& files, const fs::path& folder) {
  std::vector<std::string> slugs;
  const Result<std::vector<std::string>> names = files.list(folder);
  for (const fs::path name : names ? *names : std::vector<std::string>()) {
    if (name.extension() == ".yaml" && name.stem() != kCourseName) slugs.push_back(name.stem());
  }
  return slugs;
}

Result<Course> parse_course(std::string_view text, std::string_view name,
                            const std::optional<std::vector<std::string>>& slugs) {
  Diagnostics errors(name, text);
  Course course = check_course(text, slugs, errors);
  if (!errors.empty()) return Error{errors.format()};
  return course;
}

Result<Course> read_course(const Files& files, const fs::path& folder) {
  const fs::path path = folder / (std::string(kCourseName) + ".yaml");
  if (!files.exists(path)) return Course();
  const Result<std::string> text = files.read(path, kMaxYamlBytes);
  if (!text) return Error{format_text({{path.string(), 1, 1, text.error().message, ""}})};
  return parse_course(*text, path.string(), slugs_in(files, folder));
}

std::string course_schema() {
  Course course;
  Fields fields;
  ask(fields, course);
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "The settings of a course of Warpgrade"}};
  schema.update(fields.schema());
  return schema.dump(2) + '\n';
}

std::vector<std::string> assignments_of(const Files& files, const fs::path& folder) {
  std::vector<std::string> slugs = slugs_in(files, folder);
  const Result<Course> course = read_course(files, folder);
  const std::vector<Course::Entry> order =
      course ? course->assignments : std::vector<Course::Entry>();
  const auto place = [&](const std::string& slug) {
    return std::find_if(order.begin(), order.end(),
                        [&](const Course::Entry& entry) { return entry.slug == slug; }) -
           order.begin();
  };
  std::stable_sort(slugs.begin(), slugs.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return slugs;
}

}  // namespace warpgrade
