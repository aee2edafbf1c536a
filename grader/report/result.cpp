// SPDX-License-Identifier: MIT
#include "report/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/hash.h"
#include "base/text.h"
#include "report/evidence_json.h"
#include "report/measurement_json.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHash = "hash";

// Each struct has its keys in two places that stand together: to_json and from_json.

Json to_json(const Flag& flag) { return {{"what", flag.what}, {"evidence", flag.evidence}}; }

void from_json(const Json& json, Flag& flag) {
  json.at("what").get_to(flag.what);
  json.at("evidence").get_to(flag.evidence);
}

Json to_json(const ItemResult& item) {
  Json flags = Json::array();
  for (const Flag& flag : item.flags) flags.push_back(to_json(flag));
  Json json = {{"id", item.id},
               {"title", item.title},
               {"kind", to_string(item.kind)},
               {"points", item.points},
               {"max_points", item.max_points},
               {"status", to_string(item.status)},
               {"visibility", to_string(item.visibility)},
               {"message", item.message},
               {"student_message", item.student_message},
               {"reason", {{"id", item.reason.id}, {"args", item.reason.args}}},
               {"case", item.case_id},
               {"cause", item.cause},
               {"provisional", item.provisional},
               {"undecided", item.undecided},
               {"flags", std::move(flags)}};
  if (!item.lost_in.empty()) json["lost_in"] = item.lost_in;
  if (!item.because.empty())
    json["because"] = {{"id", item.because.id}, {"args", item.because.args}};
  return json;
}

/// The one of `all` whose word stands in the JSON.
template <class T>
void read_word(const Json& json, std::initializer_list<T> all, T& into) {
  const auto word = json.get<std::string>();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](T each) { return to_string(each) == word; });
  if (found == all.end()) throw std::invalid_argument(fmt::format("unknown word '{}'", word));
  into = *found;
}

/// The case that a reason of an earlier grader quotes: "case 'large': ..." or "3 of 7 cases, first 'large': ...".
std::string quoted_case(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  const size_t end = line.find("': "), first = line.find('\'');
  const bool has_case = line.starts_with("case '") ||
                        (line.find(" cases, first '") < first && first != std::string::npos);
  if (!has_case || end == std::string::npos || end <= first) return {};
  return line.substr(first + 1, end - first - 1);
}

void from_json(const Json& json, ItemResult& item) {
  json.at("id").get_to(item.id);
  json.at("title").get_to(item.title);
  read_word(json.at("kind"),
            {ItemKind::kBuild, ItemKind::kCorrectness, ItemKind::kRequirement,
             ItemKind::kEfficiency, ItemKind::kPerformance},
            item.kind);
  json.at("points").get_to(item.points);
  json.at("max_points").get_to(item.max_points);
  read_word(json.at("status"),
            {Outcome::kPassed, Outcome::kPartial, Outcome::kPending, Outcome::kFailed,
             Outcome::kSystemError},
            item.status);
  read_word(json.at("visibility"), {Visibility::kPublic, Visibility::kHidden}, item.visibility);
  json.at("message").get_to(item.message);
  // A result of an earlier grader does not say what a student may read.
  item.student_message = json.value("student_message", "");
  item.case_id =
      json.contains("case") ? json.at("case").get<std::string>() : quoted_case(item.message);
  item.lost_in = json.value("lost_in", std::vector<std::string>());
  item.cause = json.value("cause", "");
  if (json.contains("reason")) {
    json.at("reason").at("id").get_to(item.reason.id);
    json.at("reason").at("args").get_to(item.reason.args);
  }
  if (json.contains("because")) {
    json.at("because").at("id").get_to(item.because.id);
    json.at("because").at("args").get_to(item.because.args);
  }
  json.at("provisional").get_to(item.provisional);
  item.undecided = json.value("undecided", false);
  if (!json.contains("flags")) return;  // the result of an earlier grader
  for (const Json& flag : json.at("flags")) from_json(flag, item.flags.emplace_back());
}

Json to_json(const AppliedDecision& applied) {
  const Decision& decision = applied.decision;
  Json json = {{"item", decision.item},
               {"kind", to_string(decision.kind)},
               {"points", decision.points},
               {"note", decision.note},
               {"by", decision.by},
               {"date", decision.date},
               {"points_before", applied.points_before},
               {"points_after", applied.points_after},
               {"before", applied.before ? to_json(*applied.before) : Json()}};
  if (!decision.group.empty()) json["group"] = decision.group;
  return json;
}

void from_json(const Json& json, AppliedDecision& applied) {
  Decision& decision = applied.decision;
  json.at("item").get_to(decision.item);
  read_word(json.at("kind"),
            {DecisionKind::kNote, DecisionKind::kSet, DecisionKind::kAdd, DecisionKind::kFinal},
            decision.kind);
  json.at("points").get_to(decision.points);
  json.at("note").get_to(decision.note);
  json.at("by").get_to(decision.by);
  json.at("date").get_to(decision.date);
  decision.group = json.value("group", "");
  json.at("points_before").get_to(applied.points_before);
  json.at("points_after").get_to(applied.points_after);
  if (!json.at("before").is_null()) from_json(json.at("before"), applied.before.emplace());
}

template <class T>
Json to_json_list(const std::vector<T>& all) {
  Json list = Json::array();
  for (const T& each : all) list.push_back(to_json(each));
  return list;
}

template <class T>
void read_list(const Json& json, std::vector<T>& into) {
  if (!json.is_array()) throw std::invalid_argument("a list is missing");
  for (const Json& each : json) from_json(each, into.emplace_back());
}

/// The same of a list that results of earlier graders do not have.
template <class T>
void read_list_if_there(const Json& json, const char* key, std::vector<T>& into) {
  if (json.contains(key)) read_list(json.at(key), into);
}

Json to_json(const Lateness& late) {
  return {{"due", late.due.format()},
          {"submitted", late.submitted.format()},
          {"source", late.source},
          {"extended", late.extended},
          {"late_minutes", late.late_minutes},
          {"points_lost", late.points_lost},
          {"undiminished_score", late.undiminished_score}};
}

Moment read_moment(const Json& json) {
  const std::optional<Moment> moment = Moment::parse(json.get<std::string>());
  if (!moment) throw std::invalid_argument("a date is none");
  return *moment;
}

void from_json(const Json& json, Lateness& late) {
  late.due = read_moment(json.at("due"));
  late.submitted = read_moment(json.at("submitted"));
  json.at("source").get_to(late.source);
  json.at("extended").get_to(late.extended);
  json.at("late_minutes").get_to(late.late_minutes);
  json.at("points_lost").get_to(late.points_lost);
  json.at("undiminished_score").get_to(late.undiminished_score);
}

Json to_json(const Identity& identity) {
  return {{"name", identity.name},
          {"ids", identity.ids},
          {"handed_in", identity.handed_in},
          {"group", identity.group}};
}

void from_json(const Json& json, Identity& identity) {
  json.at("name").get_to(identity.name);
  json.at("ids").get_to(identity.ids);
  json.at("handed_in").get_to(identity.handed_in);
  json.at("group").get_to(identity.group);
}

void from_json(const Json& json, Confinement& sandbox) {
  // Earlier results hold the sandbox's name alone.
  if (json.is_string()) {
    json.get_to(sandbox.isolation);
    return;
  }
  json.at("isolation").get_to(sandbox.isolation);
  json.at("limits").get_to(sandbox.limits);
  json.at("unsafe").get_to(sandbox.is_unsafe);
}

Json to_json(const SubmissionResult& result) {
  return {{"schema", SubmissionResult::kSchema},
          {"assignment", result.assignment},
          {"student", result.student},
          {"identity", to_json(result.identity)},
          {"language", result.language},
          {"score", result.score},
          {"max_score", result.max_score},
          {"late", result.late ? to_json(*result.late) : Json()},
          {"provisional", result.provisional},
          {"device", {{"kind", result.device_kind}, {"names", result.devices}}},
          {"inputs", result.inputs},
          {"sandbox",
           {{"isolation", result.sandbox.isolation},
            {"limits", result.sandbox.limits},
            {"unsafe", result.sandbox.is_unsafe}}},
          {"diagnostics", result.diagnostics},
          {"items", to_json_list(result.items)},
          {"decisions", to_json_list(result.decisions)},
          {"hidden_cases", result.hidden_cases},
          {"findings", to_json_list(result.findings)},
          {"kernels", to_json_list(result.kernels)},
          {"lines", to_json_list(result.lines)},
          {"wrong_outputs", to_json_list(result.wrong_outputs)},
          {"modelled_device", result.modelled_device},
          {"baseline_work", to_json_list(result.baseline_work)},
          {"plots", to_json_list(result.plots)},
          {"measurements", to_json_list(result.measurements)},
          {"speeds", to_json_list(result.speeds)},
          {"disagreements", to_json_list(result.disagreements)},
          {"compared", result.compared},
          {"unobserved", to_json_list(result.unobserved)},
          {"gpu_holds", to_json_list(result.gpu_holds)}};
}

void from_json(const Json& json, SubmissionResult& result) {
  const int schema = json.at("schema").get<int>();
  if (schema != SubmissionResult::kSchema)
    throw std::invalid_argument(fmt::format("schema {} is unknown", schema));
  json.at("assignment").get_to(result.assignment);
  json.at("student").get_to(result.student);
  if (json.contains("identity")) from_json(json.at("identity"), result.identity);
  result.language = json.value("language", "en");
  json.at("score").get_to(result.score);
  json.at("max_score").get_to(result.max_score);
  if (json.contains("late") && !json.at("late").is_null())
    from_json(json.at("late"), result.late.emplace());
  json.at("provisional").get_to(result.provisional);
  json.at("device").at("kind").get_to(result.device_kind);
  json.at("device").at("names").get_to(result.devices);
  json.at("inputs").get_to(result.inputs);
  from_json(json.at("sandbox"), result.sandbox);
  json.at("diagnostics").get_to(result.diagnostics);
  read_list(json.at("items"), result.items);
  read_list_if_there(json, "decisions", result.decisions);
  for (AppliedDecision& each : result.decisions) each.decision.student = result.student;
  if (json.contains("hidden_cases")) json.at("hidden_cases").get_to(result.hidden_cases);
  read_list(json.at("findings"), result.findings);
  read_list(json.at("kernels"), result.kernels);
  read_list_if_there(json, "lines", result.lines);
  read_list_if_there(json, "wrong_outputs", result.wrong_outputs);
  result.modelled_device = json.value("modelled_device", "");
  read_list_if_there(json, "baseline_work", result.baseline_work);
  read_list_if_there(json, "plots", result.plots);
  read_list_if_there(json, "measurements", result.measurements);
  read_list_if_there(json, "speeds", result.speeds);
  read_list_if_there(json, "disagreements", result.disagreements);
  if (json.contains("compared")) json.at("compared").get_to(result.compared);
  read_list_if_there(json, "unobserved", result.unobserved);
  read_list_if_there(json, "gpu_holds", result.gpu_holds);
}

}  // namespace

void SubmissionResult::set_score(Score graded) {
  score = graded.points;
  max_score = graded.max_points;
  provisional = graded.provisional;
  items = std::move(graded.items);
}

void SubmissionResult::set_late(std::optional<Lateness> judged) {
  score = undiminished_score();
  late = std::move(judged);
  if (late) score -= late->points_lost;
}

bool SubmissionResult::is_flagged() const {
  const auto needs_look = [](const ItemResult& item) {
    return item.undecided || !item.flags.empty();
  };
  return std::any_of(items.begin(), items.end(), needs_look) || !disagreements.empty() ||
         is_unseen_by_gpu();
}

bool SubmissionResult::has_system_error() const {
  return std::any_of(items.begin(), items.end(),
                     [](const ItemResult& item) { return item.status == Outcome::kSystemError; });
}

std::string format_json(const SubmissionResult& result) {
  // Messages quote student programs: what is no UTF-8 there must not stop the result.
  return printable_json(to_json(result).dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string seal_result(const std::string& json) {
  Json whole = Json::parse(json);
  whole[kHash] = sha256_hex(whole.dump());
  return printable_json(whole.dump(2)) + '\n';
}

Result<SubmissionResult> open_sealed_result(std::string_view text) {
  Json whole = Json::parse(text, nullptr, false);
  if (!whole.is_object()) return Error{"it is no whole JSON object"};
  const auto hash = whole.find(kHash);
  if (hash == whole.end())
    return Error{"it has no hash: an earlier version of the grader wrote it, or it was edited"};
  const Json stated = *hash;
  whole.erase(hash);
  if (stated != sha256_hex(whole.dump(-1, ' ', false, Json::error_handler_t::replace)))
    return Error{"its hash does not fit its contents: it was edited or damaged"};
  return parse_result(whole.dump());
}

Result<SubmissionResult> parse_result(std::string_view json) {
  try {
    SubmissionResult result;
    from_json(Json::parse(json), result);
    return result;
  } catch (const std::exception& exception) {
    return Error{fmt::format("not a result: {}", exception.what())};
  }
}

}  // namespace warpgrade
