// SPDX-License-Identifier: MIT
#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/decisions.h"
#include "report/explanations.h"
#include "report/layout.h"
#include "report/losses.h"
#include "report/passage.h"
#include "report/repeated_findings.h"
#include "report/staff_notes.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

/// Items that a line of the class table names before it counts them.
constexpr size_t kIdsShown = 2;
constexpr size_t kMostNameColumns = 24;
/// Lines of reasons for a student in the class table.
constexpr size_t kMostLosses = 5;

std::string_view escape_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "\x1b[32m";
    case Outcome::kPartial:
    case Outcome::kPending:
      return "\x1b[33m";
    case Outcome::kFailed:
      return "\x1b[31m";
    case Outcome::kSystemError:
      return "\x1b[35m";
  }
  return "";
}

std::string paint(std::string text, Outcome outcome, Colour colour) {
  return colour == Colour::kNever ? text : fmt::format("{}{}\x1b[0m", escape_of(outcome), text);
}

constexpr size_t kLeastColumns = 20;

/// What a line has left beside its margin, on a terminal however narrow.
size_t columns_after(const ReportView& view, size_t indent) {
  return std::max(view.columns, indent + kLeastColumns) - indent;
}

/// `text` as lines after `first`, later ones indented as far.
std::string hang(const ReportView& view, std::string_view first, std::string_view text) {
  std::string out(first);
  const size_t indent = text_width(first);
  bool later = false;
  for (const std::string& line : wrap(printable(text), columns_after(view, indent))) {
    out += (later ? std::string(indent, ' ') : "") + line + '\n';
    later = true;
  }
  return out;
}

/// As wide as the longest word for a status.
size_t status_columns(const std::string& language) {
  constexpr size_t kLeast = 12;
  size_t columns = kLeast;
  for (const Outcome each : {Outcome::kPassed, Outcome::kPartial, Outcome::kPending,
                             Outcome::kFailed, Outcome::kSystemError})
    columns = std::max(columns, text_width(status_word(each, language)));
  return columns;
}

/// What was decided about the whole score; what was decided about an item stands there.
std::string format_decisions(const SubmissionResult& result, const ReportView& view) {
  const std::string subject = say_in(result.language, "report.score_subject").text + ": ";
  std::string out;
  for (const AppliedDecision& each : result.decisions) {
    if (!each.before) out += hang(view, subject, describe(each, result.language));
  }
  return out;
}

std::string format_heading(const SubmissionResult& result, const ReportView& view) {
  const std::string devices = device_words(result);
  return hang(view, "",
              fmt::format("{}, {}: {}", result.assignment, result.student, score_words(result))) +
         format_decisions(result, view) +
         (result.late ? hang(view, "", describe(*result.late, result.language)) : "") +
         (devices.empty() ? "" : hang(view, "", devices)) +
         (result.sandbox.is_unsafe
              ? hang(view, "", say_in(result.language, "sandbox.unsafe_result").text)
              : "") +
         '\n';
}

/// `message` is what to say of the item, which is less than all where it was said before.
std::string format_item(const ItemResult& item, const std::string& message, size_t points_columns,
                        const std::string& language, const ReportView& view) {
  const std::string points = format_points(item.points) + '/' + format_points(item.max_points);
  const std::string status =
      pad_right(status_word(item.status, language), status_columns(language));
  const std::string margin = fmt::format("{}  {}  ", status, pad_left(points, points_columns));
  const std::string blank(text_width(margin), ' ');
  std::string out = hang(view, margin, item.title);
  if (!message.empty()) out += hang(view, blank, message);
  return paint(status, item.status, view.colour) + out.substr(status.size());
}

/// Items that are lost for one and the same reason: the first is told in full, the others below it.
struct Fault {
  const ItemResult* cause;
  const ItemResult* first;
  std::vector<const ItemResult*> others;
};

/// The item whose loss stands behind `item`: itself, or another that it needs.
const ItemResult& cause_of(const SubmissionResult& result, const ItemResult& item) {
  for (const ItemResult& other : result.items) {
    if (other.id == item.cause) return other;
  }
  return item;
}

/// What tells one fault from another: the heart of its reason. A fault that ended the program is the same
/// in each case, whatever the case's sizes are; a line's number, which follows a colon, stays.
std::string mark_of(const ItemResult& cause, const std::string& language) {
  const std::string heart =
      without_case(cause.message.substr(0, cause.message.find('\n')), cause.case_id, language);
  if (!cause.reason.id.starts_with("end.")) return heart;
  std::string mark;
  bool in_line = false;
  for (size_t i = 0; i < heart.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(heart[i])) != 0;
    in_line = is_digit && (in_line || (i > 0 && heart[i - 1] == ':'));
    if (!is_digit || in_line) mark += heart[i];
  }
  return mark;
}

std::vector<Fault> faults_of(const SubmissionResult& result) {
  std::vector<Fault> faults;
  for (const ItemResult& item : result.items) {
    const ItemResult& cause = cause_of(result, item);
    const std::string mark = mark_of(cause, result.language);
    const auto same = std::find_if(faults.begin(), faults.end(), [&](const Fault& fault) {
      return item.status == Outcome::kFailed && fault.first->status == Outcome::kFailed &&
             (fault.cause->id == cause.id ||
              (!mark.empty() && mark_of(*fault.cause, result.language) == mark));
    });
    if (same == faults.end()) {
      faults.push_back({&cause, &item, {}});
    } else {
      same->others.push_back(&item);
      // The cause is told, wherever the rubric has it.
      if (item.id == cause.id && !same->first->cause.empty())
        std::swap(same->first, same->others.back());
    }
  }
  return faults;
}

/// "lost with it: 'Title' (0/4), 'Another' (0/2)"; conditions, which are worth nothing, are only counted.
std::string others_text(const std::vector<const ItemResult*>& others, const Words& words) {
  std::vector<std::string> named;
  long conditions = 0;
  for (const ItemResult* item : others) {
    if (item->max_points == 0) {
      ++conditions;
    } else {
      named.push_back(fmt::format("{} (0/{})", item->title, format_points(item->max_points)));
    }
  }
  if (conditions > 0) named.push_back(words("report.conditions", {{"count", conditions}}));
  return words("report.lost_with_it", {{"items", join(named, "; ")}});
}

std::string format_items(const SubmissionResult& result, const ReportView& view) {
  const Words words(result.language);
  Explanations explanations(result.language);
  size_t columns = 0;
  for (const ItemResult& item : result.items) {
    columns = std::max(
        columns, format_points(item.points).size() + 1 + format_points(item.max_points).size());
  }
  std::string out;
  for (const Fault& fault : faults_of(result)) {
    std::string message = explanations.tell(fault.first->message);
    const bool is_all = fault.others.size() + 1 == result.items.size();
    if (!fault.others.empty())
      message += (message.empty() ? "" : "\n") +
                 (is_all ? words("report.all_lost_with_it") : others_text(fault.others, words));
    out += format_item(*fault.first, message, columns, result.language, view);
  }
  return out;
}

/// The line of the student's source that the finding names, as it stands there.
std::string quoted_line(const Finding& finding, const ReportView& view) {
  if (finding.line < 1 || !is_in_submission(finding)) return {};
  const std::vector<std::string> lines = source_lines(view.source);
  const auto number = static_cast<size_t>(finding.line);
  if (number > lines.size()) return {};
  const std::string margin = fmt::format("{:>8} | ", number);
  return margin + shorten(printable(trim(lines[number - 1])), columns_after(view, margin.size())) +
         '\n';
}

std::string format_mistake(const FindingGroup& mistake, const Words& words,
                           const ReportView& view) {
  const RepeatedFinding& repeated = mistake.cause;
  const Finding& finding = repeated.first->finding;
  const std::string often =
      repeated.count > 1 ? words(finding.line == 0 ? "report.repeated_call" : "report.repeated",
                                 {{"count", repeated.count}, {"cases", repeated.cases.size()}})
                         : "";
  const std::string places = join(finding_places(*repeated.first, words.language()), ", ");
  const std::string where = words("report.first_at", {{"where", ""}});
  std::string out = hang(view, fmt::format("  {}: ", finding.checker), finding.message + often) +
                    hang(view, "    " + where, places) + quoted_line(finding, view);
  for (const RepeatedFinding& each : mistake.consequences) {
    const Finding& other = each.first->finding;
    out += hang(view, "    ",
                words("report.consequence",
                      {{"line", other.line}, {"checker", other.checker}, {"what", other.message}}));
  }
  return out;
}

std::string format_findings(const SubmissionResult& result, const ReportView& view) {
  if (result.findings.empty()) return {};
  const Words words(result.language);
  const std::vector<FindingGroup> all = grouped_findings(result);
  std::string out = all.empty() ? "" : '\n' + words("report.findings") + '\n';
  for (const FindingGroup& mistake : all) out += format_mistake(mistake, words, view);
  return out;
}

/// All launches of one kernel.
struct KernelSum {
  long launches = 0;
  std::map<std::string, double> metrics;

  double ratio(const std::string& above, const std::string& below) const {
    const auto value = [&](const std::string& name) {
      const auto found = metrics.find(name);
      return found == metrics.end() ? 0.0 : found->second;
    };
    return value(below) == 0 ? 0 : value(above) / value(below);
  }
};

std::string format_kernel(const std::string& name, const KernelSum& sum, const Words& words,
                          const ReportView& view) {
  std::vector<std::string> facts = {words("report.launches", {{"count", sum.launches}})};
  const auto add_sectors = [&](const char* operation, const char* id) {
    const double sectors =
        sum.ratio(fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", operation),
                  fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", operation));
    if (sectors != 0) facts.push_back(words(id, {{"sectors", fmt::format("{:.3g}", sectors)}}));
  };
  add_sectors("ld", "report.sectors_load");
  add_sectors("st", "report.sectors_store");
  return hang(view, "  ", fmt::format("{}: {}", name, join(facts, ", ")));
}

std::string format_kernels(const SubmissionResult& result, const ReportView& view) {
  if (result.kernels.empty()) return {};
  std::map<std::string, KernelSum> kernels;
  for (const KernelRow& row : result.kernels) {
    KernelSum& sum = kernels[row.name];
    ++sum.launches;
    for (const auto& [metric, value] : row.metrics) sum.metrics[metric] += value;
  }
  const Words words(result.language);
  std::string out = '\n' + words("report.kernels") + '\n';
  for (const auto& [name, sum] : kernels) out += format_kernel(name, sum, words, view);
  return out;
}

std::string format_diagnostics(const SubmissionResult& result, const ReportView& view) {
  if (trim(result.diagnostics).empty()) return {};
  return '\n' + say_in(result.language, "report.compiler").text + '\n' +
         hang(view, "  ", trim(result.diagnostics));
}

/// Losses whose reasons are the same at heart, as one.
std::vector<Loss> brief_losses(const SubmissionResult& result) {
  std::vector<Loss> brief_ones;
  for (Loss loss : losses_of(result)) {
    loss.reason = loss.heart;
    const auto same = std::find_if(brief_ones.begin(), brief_ones.end(), [&](const Loss& each) {
      return each.reason == loss.reason && each.status == loss.status;
    });
    if (same == brief_ones.end()) {
      brief_ones.push_back(std::move(loss));
      continue;
    }
    same->ids.insert(same->ids.end(), loss.ids.begin(), loss.ids.end());
    same->points += loss.points;
  }
  return brief_ones;
}

std::string brief_subject(const Loss& loss, const SubmissionResult& result) {
  if (loss.ids.size() <= kIdsShown || loss.ids.size() == result.items.size())
    return loss.subject(result);
  return say_in(result.language, "place.more",
                {{"first", loss.ids.front()}, {"count", loss.ids.size() - 1}})
      .text;
}

/// Kernels by their names alone: "k" in place of "(anonymous namespace)::k(float*, int)".
std::string with_short_kernels(std::string text, const SubmissionResult& result) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (const KernelRow& each : result.kernels) {
    std::string brief = each.name;
    if (brief.starts_with(kUnnamed)) brief.erase(0, kUnnamed.size());
    brief.erase(std::min(brief.find_first_of("(<"), brief.size()));
    for (size_t at = text.find(each.name); !brief.empty() && at != text.npos;
         at = text.find(each.name, at + brief.size()))
      text.replace(at, each.name.size(), brief);
  }
  return text;
}

std::string format_loss(const Loss& loss, const SubmissionResult& result) {
  const bool costs =
      loss.points > 0 && loss.status < Outcome::kSystemError && loss.status != Outcome::kPending;
  const std::string points = costs ? fmt::format(" (-{})", format_points(loss.points)) : "";
  return fmt::format("{}{}: {}", brief_subject(loss, result), points, loss.reason);
}

std::string class_score(const SubmissionResult& result) {
  if (result.has_system_error()) return say_in(result.language, "class.none").text;
  return format_points(result.score) + (result.provisional ? "*" : "");
}

Outcome overall(const SubmissionResult& result) {
  Outcome worst = Outcome::kPassed;
  for (const ItemResult& item : result.items) worst = std::max(worst, item.status);
  return worst;
}

std::string format_student(const SubmissionResult& result, size_t name_columns,
                           size_t score_columns, Colour colour) {
  const Words words(result.language);
  const std::string score = pad_left(class_score(result), score_columns);
  const std::string margin = pad_right(shorten(result.student, name_columns), name_columns) + "  ";
  const size_t indent = name_columns + score_columns + 4;
  std::string out = margin + paint(score, overall(result), colour);
  bool later = false;
  const auto add_line = [&](const std::string& text) {
    const std::string line = shorten(printable(text), kReportColumns - indent);
    out += (later ? std::string(indent, ' ') : "  ") + line + '\n';
    later = true;
  };
  if (result.late && result.late->points_lost > 0)
    add_line(words("late.brief", {{"points", format_points(result.late->points_lost)},
                                  {"submitted", result.late->submitted.format()}}));
  std::vector<Loss> losses = brief_losses(result);
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.points > b.points; });
  const size_t shown = losses.size() > kMostLosses + 1 ? kMostLosses : losses.size();
  double left_out = 0;
  for (size_t i = 0; i < losses.size(); ++i) {
    if (i >= shown) left_out += losses[i].points;
    if (i < shown) add_line(with_short_kernels(format_loss(losses[i], result), result));
  }
  if (shown < losses.size())
    add_line(words("class.more_losses", {{"count", losses.size() - shown},
                                         {"points", format_points(left_out)},
                                         {"student", result.student}}));
  for (const std::string& note : brief_staff_notes(result))
    add_line(words("class.staff_note", {{"note", note}}));
  return later ? out : out + '\n';
}

std::string staff_heading(const SubmissionResult& result) {
  return '\n' + say_in(result.language, "report.for_staff").text + '\n';
}

}  // namespace

std::string format_points(double points) {
  return fmt::format("{}", std::round(points * 100) / 100);
}

std::string format_report(const SubmissionResult& result, const ReportView& view) {
  return format_heading(result, view) + format_items(result, view) + format_findings(result, view) +
         format_kernels(result, view) + format_diagnostics(result, view);
}

SubmissionResult for_student(SubmissionResult result) {
  const auto is_hidden = [&](const std::string& id) {
    const std::vector<std::string>& hidden = result.hidden_cases;
    return std::find(hidden.begin(), hidden.end(), id) != hidden.end();
  };
  for (ItemResult& item : result.items) {
    // A message of its own for the student does not name the case.
    if (item.message != item.student_message) item.case_id.clear();
    item.message = item.student_message;
    item.flags.clear();
    std::erase_if(item.lost_in, is_hidden);
  }
  const auto drop_hidden = [&](auto& list) {
    std::erase_if(list, [&](const auto& each) { return is_hidden(each.case_id); });
  };
  drop_hidden(result.findings);
  drop_hidden(result.kernels);
  drop_hidden(result.lines);
  drop_hidden(result.wrong_outputs);
  drop_hidden(result.baseline_work);
  drop_hidden(result.measurements);
  drop_hidden(result.speeds);
  result.disagreements.clear();
  result.unobserved.clear();
  result.hidden_cases.clear();
  return result;
}

std::string format_staff_notes(const SubmissionResult& result) {
  std::string out;
  for (const StaffNote& note : staff_notes(result))
    out += hang({}, fmt::format("  {}: ", note.subject), note.what + ": " + note.evidence);
  return out.empty() ? out : staff_heading(result) + out;
}

std::string format_brief_staff_notes(const SubmissionResult& result) {
  std::string out;
  for (const std::string& note : brief_staff_notes(result)) out += hang({}, "  ", note);
  return out.empty() ? out : staff_heading(result) + out;
}

std::string format_class(const std::vector<SubmissionResult>& results, Colour colour) {
  const Words words(language_of(results));
  const std::string student = words("class.head_student"), score = words("class.head_score");
  size_t name_columns = text_width(student), score_columns = text_width(score);
  bool provisional = false;
  for (const SubmissionResult& each : results) {
    name_columns = std::max(name_columns, std::min(text_width(each.student), kMostNameColumns));
    score_columns = std::max(score_columns, text_width(class_score(each)));
    provisional = provisional || each.provisional;
  }
  std::string out = fmt::format("{}  {}  {}\n", pad_right(student, name_columns),
                                pad_left(score, score_columns), words("class.head_lost"));
  for (const SubmissionResult& each : results)
    out += format_student(each, name_columns, score_columns, colour);
  if (provisional) out += words("class.provisional_star") + '\n';
  return out;
}

}  // namespace warpgrade
