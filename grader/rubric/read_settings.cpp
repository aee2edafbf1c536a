// SPDX-License-Identifier: MIT
#include "rubric/read_settings.h"

#include "emulator/model/device_table.h"

namespace warpgrade {
namespace {

Type<CurvePoint> curve_point_type() {
  const Type<double> x = number_type(0, 1e18), fraction = number_type(0, 1);
  return {"a pair [number, fraction from 0 to 1]",
          [x, fraction](const Yaml& value, Diagnostics& errors) -> std::optional<CurvePoint> {
            if (value.kind != Yaml::Kind::kList || value.elements.size() != 2) return std::nullopt;
            const auto first = x.read(value.elements[0], errors);
            const auto second = fraction.read(value.elements[1], errors);
            return first && second ? std::optional(CurvePoint{*first, *second}) : std::nullopt;
          },
          [x, fraction] {
            return Json{{"type", "array"},
                        {"items", Json::array({x.schema(), fraction.schema()})},
                        {"minItems", 2},
                        {"maxItems", 2}};
          }};
}

/// What is wrong with a curve's points, or empty.
std::string curve_mistake(const Curve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  if (points.size() < 2) return "a curve needs at least two points";
  if (curve.interpolation == Interpolation::kLog && points[0].x <= 0)
    return "a log curve cannot begin at 0; begin it above";
  bool rises = false, falls = false;
  for (size_t i = 1; i < points.size(); ++i) {
    if (points[i].x <= points[i - 1].x) return "the first numbers of the points must rise";
    rises = rises || points[i].fraction > points[i - 1].fraction;
    falls = falls || points[i].fraction < points[i - 1].fraction;
  }
  if (rises == falls) return "the fractions must rise from point to point, or fall";
  return "";
}

void ask(Fields& fields, Curve& curve) {
  fields.required("interpolation",
                  choice_type<Interpolation>({{"step", Interpolation::kStep},
                                              {"linear", Interpolation::kLinear},
                                              {"log", Interpolation::kLog}}),
                  curve.interpolation,
                  "What lies between two points: `linear` is a straight line, `log` a straight "
                  "line over the logarithm of the number (for ladders such as 1, 2, 4, 8), `step` "
                  "the lesser of the two fractions.");
  Type<std::vector<CurvePoint>> points = nonempty_list_type(curve_point_type());
  points.what = "a list of at least two pairs [number, fraction from 0 to 1]";
  points.schema = [schema = points.schema] {
    Json two = schema();
    two["minItems"] = 2;
    return two;
  };
  fields.required("points", points, curve.points,
                  "Pairs of a number and the fraction of the points that it is worth. The numbers "
                  "rise; the fractions rise or fall. Beyond both ends the fraction stays, except "
                  "that `step` gives 0 beyond the worse end.");
}

void ask(Fields& fields, Limits& limits) {
  fields.optional("wall_s", integer_type(1, 3600), limits.wall_s,
                  "Seconds that one run of the program may take.");
  fields.optional("memory_mb", integer_type(16, 1 << 20), limits.memory_mb,
                  "Megabytes of memory for one run.");
  fields.optional("output_kb", integer_type(1, 1 << 20), limits.output_kb,
                  "Kilobytes that one run may print.");
  fields.optional("processes", integer_type(1, 4096), limits.processes,
                  "Processes and threads that one run may have at a time.");
  fields.optional("compile_s", integer_type(1, 3600), limits.compile_s,
                  "Seconds that nvcc may take.");
  fields.optional("launch_instructions", integer_type(1, 2'000'000'000), limits.launch_instructions,
                  "Warp instructions of one launch on the emulated device; a longer launch fails. "
                  "It ends kernels that never end.");
}

void ask(Fields& fields, Extension& extension) {
  fields.required(
      "student", text_type(), extension.student,
      "The student: the id in results, an id of the LMS, the e-mail address or the name.");
  fields.optional("assignment", name_type(), extension.assignment,
                  "The assignment that this is for; every one, where it is left out.");
  fields.optional("until", moment_type(), extension.until, "When the answer is due instead.");
  fields.optional("days", integer_type(1, 365), extension.days,
                  "Or: how many days later it is due.");
  fields.exactly_one({{"until"}, {"days"}});
}

Type<Extension> extension_type() {
  Type<Extension> type = map_type<Extension>(
      "an extension", [](Fields& fields, Extension& extension) { ask(fields, extension); });
  type.read = [read = type.read](const Yaml& value, Diagnostics& errors) {
    std::optional<Extension> extension = read(value, errors);
    if (extension) extension->place = fmt::format("{}:{}", errors.name(), value.place.line);
    return extension;
  };
  return type;
}

void ask(Fields& fields, LatePolicy& late) {
  fields.optional("due", moment_type(), late.due,
                  "When the answer is due. In course.yaml it stands in the list of assignments.");
  fields.optional("grace_minutes", integer_type(0, 100000), late.grace_minutes,
                  "Minutes after that in which an answer still counts as in time. Lateness counts "
                  "from their end.");
  fields.optional("points_per_day", number_type(0, 100), late.points_per_day,
                  "Points lost for each day that has begun, down to 0.");
  fields.optional("curve", curve_type(), late.curve,
                  "Instead of points_per_day: from days late, such as 0.5, to the fraction of the "
                  "score that is kept.");
  fields.at_most_one({"points_per_day", "curve"});
  fields.optional("extensions", list_type(extension_type()), late.extensions,
                  "More time for single students; the latest one counts.");
}

/// As a text, because 9.10 is not 9.1.
Type<std::string> capability_type() {
  const Type<std::string> text = text_type();
  return {
      "bounds in quotes, such as '>=8.0' or '>=8.0 <10.0'",
      [text](const Yaml& value, Diagnostics& errors) -> std::optional<std::string> {
        const std::optional<std::string> read = text.read(value, errors);
        return read && is_capability_range(*read) ? read : std::nullopt;
      },
      [] {
        return Json{
            {"type", "string"},
            {"maxLength", 64},
            {"pattern",
             "^ *(>=|<=|>|<)?[0-9]{1,2}\\.[0-9]{1,2}( +(>=|<=|>|<)?[0-9]{1,2}\\.[0-9]{1,2})* *$"}};
      }};
}

}  // namespace

Type<Curve> curve_type() {
  Type<Curve> type =
      map_type<Curve>("a curve", [](Fields& fields, Curve& curve) { ask(fields, curve); });
  type.what = "a map of 'interpolation' and 'points'";
  type.read = [read = type.read](const Yaml& value, Diagnostics& errors) -> std::optional<Curve> {
    std::optional<Curve> curve = read(value, errors);
    const std::string mistake = curve ? curve_mistake(*curve) : "";
    if (mistake.empty()) return curve;
    const Yaml* points = value.find("points");
    errors.add(points != nullptr ? points->place : value.place, mistake);
    return std::nullopt;
  };
  return type;
}

Type<Moment> moment_type() {
  return {
      "a date with the offset from UTC, such as 2026-10-05 23:59 +02:00",
      [](const Yaml& value, Diagnostics&) {
        return value.kind == Yaml::Kind::kScalar ? Moment::parse(value.text) : std::nullopt;
      },
      [] {
        return Json{
            {"type", "string"},
            {"pattern",
             "^(19[7-9][0-9]|2[0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[ T]([01][0-9]|2[0-"
             "3]):[0-5][0-9](:[0-5][0-9])? ?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$"}};
      }};
}

Type<Limits> limits_type(const Limits& standard) {
  return map_type<Limits>(
      "limits", [](Fields& fields, Limits& limits) { ask(fields, limits); }, standard);
}

Type<LatePolicy> late_type(const LatePolicy& standard) {
  Type<LatePolicy> type = map_type<LatePolicy>(
      "the late policy", [](Fields& fields, LatePolicy& late) { ask(fields, late); }, standard);
  type.read = [read = type.read](const Yaml& value, Diagnostics& errors) {
    std::optional<LatePolicy> late = read(value, errors);
    // What a rubric says in one way replaces what the course says in the other.
    if (late && value.find("points_per_day") != nullptr) late->curve.reset();
    if (late && value.find("curve") != nullptr) late->points_per_day = 0;
    return late;
  };
  return type;
}

Type<std::vector<std::string>> devices_type() {
  Choices<std::string> choices;
  for (const emulator::DeviceModel& model : emulator::device_table())
    choices.emplace_back(model.name, model.name);
  const Type<std::string> name = choice_type(std::move(choices));
  return called(fmt::format("a list of devices, each {}", name.what), nonempty_list_type(name));
}

Type<Requires> requires_type() {
  return map_type<Requires>("'requires'", [](Fields& fields, Requires& wanted) {
    fields.optional("compute_capability", capability_type(), wanted.compute_capability,
                    "Bounds, all of which the GPU's compute capability must hold. `9.0` alone: "
                    "that one.");
    fields.optional("major", integer_type(1, 99), wanted.major,
                    "The major number of the GPU's compute capability.");
    Choices<std::string> names;
    for (const std::string& name : code_names()) names.emplace_back(name, name);
    const Type<std::string> code = choice_type(std::move(names));
    fields.optional("binary",
                    called(fmt::format("a list of architectures, each {}", code.what),
                           nonempty_list_type(code)),
                    wanted.binary,
                    "What the program is compiled to and must carry: `sm_90` is machine code, "
                    "`compute_90` is PTX. PTX for compute_75 is always there.");
    fields.at_least_one({"compute_capability", "major", "binary"});
  });
}

void note_origins(const Yaml& root, SettingOrigin origin, Origins& origins) {
  if (root.find("devices") != nullptr) origins["devices"] = origin;
  for (const std::string group : {"limits", "late", "requires"}) {
    const Yaml* map = root.find(group);
    if (map == nullptr) continue;
    for (const Yaml& key : map->keys) origins[group + "." + key.text] = origin;
  }
}

}  // namespace warpgrade
