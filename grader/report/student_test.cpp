// SPDX-License-Identifier: MIT
#include "report/student_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// Lines of what a program printed: in a case that was asked for, and in one that merely failed.
constexpr size_t kMostPrinted = 60, kLastPrinted = 6;
constexpr size_t kMostErrors = 3;
/// The largest picture of a wrong output.
constexpr size_t kMostMapRows = 6, kMostMapColumns = 32;
constexpr size_t kMostFailures = 6;
constexpr size_t kMostPassageRows = 6;
/// Columns of a line of the source before it is cut.
constexpr size_t kSourceIndent = 8;
constexpr size_t kReasonIndent = 16;

constexpr std::string_view kBold = "1", kRed = "31", kGreen = "32", kYellow = "33";

/// What waits for a GPU, or for the staff's baselines, is no fault.
bool earns(const ItemResult& item) {
  return item.status == Outcome::kPassed || item.status == Outcome::kPending;
}

bool is_build(const ItemResult& item) { return item.kind == ItemKind::kBuild; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Whether the item's reason names the finding already.
bool tells_of(const ItemResult& item, const Finding& finding) {
  for (const Sentence* const sentence : {&item.reason, &item.because}) {
    for (const auto& [place, kept] : sentence->args) {
      if (kept.find(finding.key()) != std::string::npos) return true;
    }
  }
  return false;
}

/// Writes one student's view, line by line.
class Page {
 public:
  Page(const SubmissionResult& result, const TestView& view) : result_(result), view_(view) {}

  std::string text() {
    heading();
    const auto broken =
        std::find_if(result_.items.begin(), result_.items.end(),
                     [](const auto& item) { return is_build(item) && !earns(item); });
    if (broken != result_.items.end()) {
      errors(*broken);
    } else {
      items();
      printed();
      focus();
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& words = "") { text_ += words + '\n'; }

  /// `words` on lines after `margin`, which is as wide as it looks.
  void hang(const std::string& margin, const std::string& words) {
    std::string before = margin;
    const size_t columns = view_.columns > margin.size() + 20 ? view_.columns - margin.size() : 20;
    for (const std::string& part : wrap(printable(words), columns)) {
      line(before + part);
      before.assign(margin.size(), ' ');
    }
  }

  std::string paint(const std::string& words, std::string_view code) const {
    return view_.colour == Colour::kNever ? words : fmt::format("\x1b[{}m{}\x1b[0m", code, words);
  }

  void heading() {
    const char* const kind = result_.provisional ? "test.provisional" : "test.score";
    const std::string score = result_.has_system_error()
                                  ? say("test.not_graded").text
                                  : say(kind, {{"score", format_points(result_.score)},
                                               {"most", format_points(result_.max_score)}})
                                        .text;
    line(fmt::format("{}, {}: {}", printable(result_.assignment), printable(result_.student),
                     paint(score, result_.score < result_.max_score ? kRed : kGreen)));
  }

  void quote(int number) {
    const std::vector<std::string> lines = split(view_.source, '\n');
    if (number < 1 || static_cast<size_t>(number) > lines.size()) return;
    const std::string words = printable(trim(lines[static_cast<size_t>(number) - 1]));
    const size_t columns = view_.columns > 40 ? view_.columns : 40;
    line(fmt::format("{:>6} | {}", number, shorten(words, columns - kSourceIndent - 2)));
  }

  /// The first errors of the compiler; later ones mostly follow from them.
  void errors(const ItemResult& broken) {
    std::vector<std::string> all;
    for (const std::string& each : split(std::string(trim(result_.diagnostics)), '\n')) {
      if (each.find(": error: ") != std::string::npos) all.push_back(each);
    }
    hang("", paint(say("test.does_not_build").text, kRed));
    if (all.empty()) return hang("  ", broken.message);
    if (all.size() > kMostErrors) line("  " + say("test.errors", {{"count", all.size()}}).text);
    for (size_t i = std::min(all.size(), kMostErrors); i-- > 0;) {
      hang("  ", all[i]);
      const size_t colon = all[i].find(':');
      int number = 0;
      if (colon != std::string::npos)
        std::from_chars(all[i].data() + colon + 1, all[i].data() + all[i].size(), number);
      quote(number);
    }
  }

  void items() {
    long passed = 0;
    double points = 0;
    for (const ItemResult& item : result_.items) {
      passed += earns(item);
      points += item.points;
    }
    if (passed > 0)
      line(paint(status("test.passed"), kGreen) + "  " +
           say("test.items", {{"items", passed}, {"points", format_points(points)}}).text);
    const bool is_clean = passed == static_cast<long>(result_.items.size());
    if (is_clean && result_.findings.empty()) hang("        ", say("test.no_findings").text);
    speeds();
    std::set<std::string> reasons;
    size_t listed = 0, left_out = 0;
    for (const ItemResult& item : result_.items) {
      if (earns(item)) continue;
      if (item.max_points == 0 && !costs_others(item)) {
        ++left_out;
        continue;
      }
      const std::string reason = item.cause.empty() ? first_line(item.message) : "";
      if (++listed > kMostFailures) {
        ++left_out;
        continue;
      }
      const bool is_told = &item == costliest_failure() || !reasons.insert(reason).second;
      failure(item, is_told ? "" : reason);
    }
    const char* const more = result_.has_system_error() ? "test.more_not_judged" : "test.more";
    if (left_out > 0) line("        " + say(more, {{"count", left_out}}).text);
  }

  /// A condition, which is worth nothing itself, may be why others are lost.
  bool costs_others(const ItemResult& item) const {
    return std::any_of(result_.items.begin(), result_.items.end(),
                       [&](const ItemResult& other) { return other.cause == item.id; });
  }

  /// What was measured, or waits to be, of what has nothing wrong.
  void speeds() {
    for (const ItemResult& item : result_.items) {
      const bool waits = item.status == Outcome::kPending;
      if (!earns(item) || item.message.empty()) continue;
      if (!waits && item.kind != ItemKind::kPerformance) continue;
      listed(item,
             waits ? paint(status("test.waits"), kYellow) : paint(status("test.passed"), kGreen),
             "");
      hang(std::string(kReasonIndent, ' '), first_line(item.message));
    }
  }

  void failure(const ItemResult& item, const std::string& reason) {
    if (item.status == Outcome::kSystemError)
      return listed(item, paint(status("test.not_judged"), kYellow), reason);
    const bool partial = item.status == Outcome::kPartial;
    listed(item,
           partial ? paint(status("test.partly"), kYellow) : paint(status("test.failed"), kRed),
           reason);
  }

  /// A word of the first column, as wide as the widest.
  static std::string status(const std::string& id) {
    size_t columns = 0;
    for (const char* const each : {"test.passed", "test.failed", "test.partly", "test.waits"})
      columns = std::max(columns, text_width(say(each).text));
    return pad_right(say(id).text, columns);
  }

  void listed(const ItemResult& item, const std::string& status, const std::string& reason) {
    const bool is_judged = item.status != Outcome::kSystemError;
    const std::string points = fmt::format("{}/{}", is_judged ? format_points(item.points) : "-",
                                           format_points(item.max_points));
    const std::string head = fmt::format("{:>6}  {}", points, printable(item.title));
    line(status + "  " + shorten(head, view_.columns > 40 ? view_.columns - 8 : 40));
    if (!reason.empty())
      line(std::string(kReasonIndent, ' ') +
           shorten(printable(reason), std::max<size_t>(view_.columns, 60) - kReasonIndent));
  }

  /// The end of what the program printed in the case that failed first; all of it in cases that were named.
  void printed() {
    const std::string failing = case_of_focus();
    for (const PrintedText& each : view_.printed) {
      if (!view_.has_named_cases && each.case_id != failing) continue;
      const std::string_view all = trim(each.text);
      if (all.empty()) continue;
      const std::vector<std::string> lines = split(std::string(all), '\n');
      const size_t most = view_.has_named_cases ? kMostPrinted : kLastPrinted;
      const size_t first = lines.size() > most ? lines.size() - most : 0;
      line();
      const Sentence part =
          first > 0 ? say("test.last_lines", {{"shown", most}, {"all", lines.size()}}) : Sentence();
      line(paint(say("test.printed", {{"case", each.case_id}}).text, kBold) + part.text);
      for (size_t i = first; i < lines.size(); ++i)
        line("  " + shorten(printable(lines[i]), std::max<size_t>(view_.columns, 40) - 2));
    }
  }

  /// What explains most: an access that ends a kernel, then what is not ordered, then what was never written.
  const CaseFinding* finding() const {
    for (const std::string_view checker : {"memory", "limit", "sync", "race", "init"}) {
      const CaseFinding* best = nullptr;
      for (const CaseFinding& each : result_.findings) {
        if (each.finding.checker != checker) continue;
        if (best == nullptr || (best->finding.line == 0 && each.finding.line != 0)) best = &each;
      }
      if (best != nullptr) return best;
    }
    return nullptr;
  }

  /// What mending the item would give back: its own points and those of the items that it takes theirs.
  double cost_of(const ItemResult& failed) const {
    double points = 0;
    for (const ItemResult& item : result_.items) {
      if (&item == &failed || item.cause == failed.id) points += item.max_points - item.points;
    }
    return points;
  }

  /// The first of those that cost most; nullptr where nothing failed by itself.
  const ItemResult* costliest_failure() const {
    const ItemResult* costliest = nullptr;
    for (const ItemResult& item : result_.items) {
      if (earns(item) || !item.cause.empty()) continue;
      if (costliest == nullptr || cost_of(item) > cost_of(*costliest)) costliest = &item;
    }
    return costliest;
  }

  /// The case that the reason of the costliest failure names.
  std::string case_of_focus() const {
    const ItemResult* const item = costliest_failure();
    return item == nullptr ? "" : item->case_id;
  }

  /// Where the output is wrong, in characters; nothing where all of it is.
  void map_of(const ItemResult& item) {
    const auto found =
        std::find_if(result_.wrong_outputs.begin(), result_.wrong_outputs.end(),
                     [&](const WrongOutput& output) { return output.item_id == item.id; });
    if (found == result_.wrong_outputs.end()) return;
    const std::vector<std::string> rows = shrink(found->map, kMostMapRows, kMostMapColumns);
    const auto is_all_wrong = [](const std::string& row) {
      return row.find_first_not_of('#') == std::string::npos;
    };
    if (std::all_of(rows.begin(), rows.end(), is_all_wrong)) return;
    hang("    ",
         say("test.wrong_map", {{"array", found->map.array}, {"places", found->map.places}}).text);
    for (const std::string& row : rows) line("      " + row);
  }

  /// What the handout asks of the item, or of the condition that failed by the same finding.
  std::string passage_about(const ItemResult& item) const {
    const CaseFinding* const each = finding();
    if (each != nullptr && tells_of(item, each->finding)) {
      for (const ItemResult& other : result_.items) {
        if (other.max_points > 0 || earns(other) || !tells_of(other, each->finding)) continue;
        if (const std::string text = passage_for(view_.handout, other.id); !text.empty())
          return text;
      }
    }
    return passage_for(view_.handout, item.id);
  }

  /// That passage, to the end of the last sentence that fits.
  void passage_of(const ItemResult& item) {
    const std::string text = passage_about(item);
    if (text.empty()) return;
    const size_t columns = view_.columns > 44 ? view_.columns - 4 : 40;
    std::vector<std::string> rows = wrap(text, columns);
    if (rows.size() > kMostPassageRows) {
      rows.resize(kMostPassageRows);
      const std::string shown = join(rows, " ");
      const size_t end = shown.rfind(". ");
      rows = wrap(end == std::string::npos ? shown + " ..." : shown.substr(0, end + 1), columns);
    }
    line("  " + say("test.handout").text);
    for (const std::string& row : rows) line("    " + printable(row));
  }

  void focus() {
    const ItemResult* const item = costliest_failure();
    if (item == nullptr) return;
    line();
    line(paint(say("test.first").text, kBold));
    hang("  ", item->title);
    hang("    ", item->message);
    map_of(*item);
    if (const CaseFinding* const each = finding()) {
      const Finding& found = each->finding;
      const std::string place =
          found.line == 0 ? "" : fmt::format("{}:{}: ", found.file, found.line);
      if (!tells_of(*item, found))
        hang("  ", say("test.finding", {{"place", place},
                                        {"what", found.message},
                                        {"checker", found.checker},
                                        {"case", each->case_id}})
                       .text);
      quote(found.line);
    }
    passage_of(*item);
    line();
    if (const std::string id = case_of_focus(); !id.empty() && !view_.has_named_cases)
      hang("", say("test.this_case", {{"command", fmt::format("{} {}", view_.command, id)}}).text);
    hang("", say("test.in_full", {{"command", view_.command + " --full"}}).text);
  }

  const SubmissionResult& result_;
  const TestView& view_;
  std::string text_;
};

}  // namespace

std::string format_test(const SubmissionResult& result, const TestView& view) {
  return Page(result, view).text();
}

}  // namespace warpgrade
