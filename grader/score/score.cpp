// SPDX-License-Identifier: MIT
#include "score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

ItemResult blank_result(const Rubric& rubric, const Item& item) {
  ItemResult result;
  result.id = item.id;
  result.title = item.title;
  result.kind = item.kind;
  result.max_points = item.points;
  for (const std::string& id : item.cases) {
    const Case* each = rubric.find_case(id);
    if (each && each->visibility == Visibility::kHidden) result.visibility = Visibility::kHidden;
  }
  return result;
}

bool ends_a_sentence(std::string_view text) {
  return !text.empty() && std::string_view(".!?").find(text.back()) != std::string_view::npos;
}

/// What a case says, with the finding that explains it.
Sentence in_full(const CaseVerdict& verdict) {
  if (verdict.because.empty()) return verdict.message;
  Filling what("what", verdict.message);
  // Some sentences are told as a part of others, without a full stop.
  if (!ends_a_sentence(what.text)) what.text += '.';
  Sentence full = say("item.because", {what, {"finding", verdict.because}});
  full.id = verdict.message.id;
  return full;
}

/// "3 of 7 cases, first 'edges': <its message>".
std::string reason(const std::vector<const CaseVerdict*>& worst, size_t judged) {
  const CaseVerdict& first = *worst.front();
  const std::string what = in_full(first).text;
  if (first.case_id.empty() || what.empty()) return what;
  if (worst.size() == 1) return say("item.case", {{"case", first.case_id}, {"what", what}}).text;
  return say("item.cases", {{"failed", worst.size()},
                            {"judged", judged},
                            {"case", first.case_id},
                            {"what", what}})
      .text;
}

/// What kind of failure it is, without a word that the case or the program chose.
Sentence hidden_reason(const CaseVerdict& verdict) {
  if (verdict.status == Outcome::kPending) return say("item.waits");
  if (verdict.status == Outcome::kSystemError) return say("item.system_error");
  const Sentence kind = hidden_form(verdict.message);
  return kind.empty() ? say("item.lost") : kind;
}

bool is_public(const Rubric& rubric, const CaseVerdict& verdict) {
  const Case* const its = rubric.find_case(verdict.case_id);
  return its == nullptr || its->visibility == Visibility::kPublic;
}

/// Whether two verdicts are about the same fault: the same sentence about the same thing, or findings
/// at the same place.
bool is_same_fault(const CaseVerdict& a, const CaseVerdict& b) {
  if (a.message.id != b.message.id) return false;
  for (const char* what : {"range", "kernel", "array", "api", "call", "counter", "place"}) {
    const auto mine = a.message.args.find(what), theirs = b.message.args.find(what);
    const bool both = mine != a.message.args.end() && theirs != b.message.args.end();
    // Where an element lies is the case's; where a finding lies is the program's.
    const bool is_element = std::string_view(what) == "place" && a.message.id == "output.wrong";
    if (both && !is_element && mine->second != theirs->second) return false;
  }
  return a.message.id != "output.named" || a.message.args.at("got") == b.message.args.at("got");
}

/// The verdict of a public case on any item that shows the same fault; nullptr where none does.
const CaseVerdict* public_twin(const Rubric& rubric, const CaseVerdict& hidden,
                               const std::vector<CaseVerdict>& all) {
  for (const CaseVerdict& each : all) {
    const bool told = !each.case_id.empty() && is_public(rubric, each);
    if (told && each.status == Outcome::kFailed && is_same_fault(each, hidden)) return &each;
  }
  return nullptr;
}

/// The reason as the student may read it. A hidden case is a secret, whatever a program did to show it.
std::string student_reason(const Rubric& rubric, std::vector<const CaseVerdict*> worst,
                           size_t judged, const std::vector<CaseVerdict>& all) {
  const auto first_hidden = std::stable_partition(
      worst.begin(), worst.end(),
      [&](const CaseVerdict* verdict) { return is_public(rubric, *verdict); });
  if (first_hidden != worst.begin()) return reason(worst, judged);
  // What a hidden case measured of a passed item is the case's.
  if (worst.front()->status == Outcome::kPassed) return "";
  std::vector<std::string> kinds;
  const CaseVerdict* twin = nullptr;
  for (const CaseVerdict* verdict : worst) {
    const std::string kind = hidden_reason(*verdict).text;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    if (twin == nullptr && verdict->status == Outcome::kFailed)
      twin = public_twin(rubric, *verdict, all);
  }
  std::string what = join(kinds, "; ");
  if (twin != nullptr)
    what = say("item.same_as",
               {{"what", what}, {"case", twin->case_id}, {"public", in_full(*twin).text}})
               .text;
  return worst.size() == 1
             ? say("item.hidden_case", {{"what", what}}).text
             : say("item.hidden_cases", {{"count", worst.size()}, {"what", what}}).text;
}

/// What the cases that passed measured: the one that earns least.
const CaseVerdict& least(const std::vector<CaseVerdict>& verdicts) {
  return *std::min_element(
      verdicts.begin(), verdicts.end(),
      [](const CaseVerdict& a, const CaseVerdict& b) { return a.fraction < b.fraction; });
}

/// The items and all that these need.
std::set<std::string> with_needs(const Rubric& rubric, std::vector<std::string> open) {
  std::set<std::string> all;
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    const Item* const item = rubric.find_item(id);
    if (item == nullptr || !all.insert(id).second) continue;
    open.insert(open.end(), item->needs.begin(), item->needs.end());
  }
  return all;
}

bool is_condition(const Item& item) {
  return item.points == 0 &&
         (item.kind == ItemKind::kRequirement || item.kind == ItemKind::kEfficiency);
}

/// Whether an item that earns points is judged in the case, and lost them there.
bool costs_points(const Rubric& rubric, const std::string& case_id,
                  const std::vector<CaseVerdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& each) {
    const Item* const item = rubric.find_item(each.item_id);
    return each.case_id == case_id && each.status == Outcome::kFailed && item != nullptr &&
           item->points > 0;
  });
}

/// The cases of a condition that say something about it: one that a crash cut off costs its own points, and another
/// must show that the condition holds.
std::vector<std::string> telling_cases(const Rubric& rubric, const Item& condition,
                                       const std::vector<std::string>& cases,
                                       const std::vector<CaseVerdict>& verdicts) {
  std::vector<std::string> telling = cases;
  bool is_shown = false;
  for (const CaseVerdict& each : verdicts) {
    if (each.item_id != condition.id || std::ranges::find(cases, each.case_id) == cases.end())
      continue;
    const bool holds = each.status == Outcome::kPassed;
    is_shown = is_shown || holds;
    if (!holds && each.cut_off && costs_points(rubric, each.case_id, verdicts))
      std::erase(telling, each.case_id);
  }
  return is_shown && !telling.empty() ? telling : cases;
}

/// The item's cases without those in which an item of `where_passed` failed.
std::vector<std::string> counted_cases(const Rubric& rubric, const Item& item,
                                       const std::vector<CaseVerdict>& verdicts) {
  const std::set<std::string> others = with_needs(rubric, item.where_passed);
  std::vector<std::string> cases = item.cases;
  std::erase_if(cases, [&](const std::string& id) {
    return std::any_of(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& each) {
      return each.case_id == id && each.status == Outcome::kFailed &&
             others.count(each.item_id) > 0;
    });
  });
  // A fault in every case leaves nothing to earn by.
  if (cases.empty()) return item.cases;
  return is_condition(item) ? telling_cases(rubric, item, cases, verdicts) : cases;
}

/// The item by its own cases alone; what its needs take comes later.
ItemResult judge(const Rubric& rubric, const Item& item, const std::vector<CaseVerdict>& verdicts) {
  ItemResult result = blank_result(rubric, item);
  std::vector<std::string> expected = counted_cases(rubric, item, verdicts);
  if (item.kind == ItemKind::kBuild) expected = {""};
  std::vector<CaseVerdict> mine;
  for (const std::string& id : expected) {
    const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const CaseVerdict& each) {
      return each.item_id == item.id && each.case_id == id;
    });
    const CaseVerdict missing{id, item.id, Outcome::kSystemError, say("item.not_judged")};
    mine.push_back(found == verdicts.end() ? missing : *found);
    result.status = std::max(result.status, mine.back().status);
    if (mine.back().status != Outcome::kPassed && !id.empty()) result.lost_in.push_back(id);
    result.provisional = result.provisional || mine.back().provisional;
    for (const Flag& flag : mine.back().flags)
      result.flags.push_back({flag.what, fmt::format("case '{}': {}", id, flag.evidence)});
  }
  std::vector<const CaseVerdict*> worst;
  for (const CaseVerdict& each : mine) {
    if (each.status == result.status) worst.push_back(&each);
  }
  if (result.status > Outcome::kPartial) {
    result.reason = worst.front()->message;
    result.because = worst.front()->because;
    result.case_id = worst.front()->case_id;
    result.message = reason(worst, mine.size());
    result.student_message = student_reason(rubric, worst, mine.size(), verdicts);
    return result;
  }
  const CaseVerdict& lowest = least(mine);
  result.points = item.points * lowest.fraction;
  result.undecided = lowest.undecided;
  if (!lowest.message.empty()) {
    result.reason = lowest.message;
    result.because = lowest.because;
    result.case_id = lowest.case_id;
    result.message = reason({&lowest}, mine.size());
    result.student_message = student_reason(rubric, {&lowest}, mine.size(), verdicts);
  }
  return result;
}

/// Zeroes items whose prerequisites failed. Works through the needs of needs first.
class Needs {
 public:
  Needs(const Rubric& rubric, std::map<std::string, ItemResult>& results)
      : rubric_(rubric), results_(results) {}

  void apply(const Item& item) {
    if (!done_.insert(item.id).second) return;
    ItemResult& result = results_.at(item.id);
    bool is_settled = false, may_be_mended = false;
    for (const std::string& id : item.needs) {
      const Item* needed = rubric_.find_item(id);
      if (!needed) continue;  // The rubric's reader refuses such a need.
      apply(*needed);
      const ItemResult& other = results_.at(id);
      const bool is_lost = other.status == Outcome::kFailed || other.status == Outcome::kPartial;
      is_settled = is_settled || (is_lost && !other.provisional);
      may_be_mended = may_be_mended || (is_lost && other.provisional);
      // An item's own loss says more than what it needed.
      if (other.status == Outcome::kPassed || result.status >= Outcome::kFailed) continue;
      result.status = other.status == Outcome::kPartial ? Outcome::kFailed : other.status;
      result.points = 0;
      result.undecided = false;
      result.cause = other.cause.empty() ? id : other.cause;
      result.reason = say("item.needs", {{"title", other.title}, {"state", state(other.status)}});
      result.message = result.student_message = result.reason.text;
      result.case_id.clear();
    }
    // No GPU gives points back that something else has cost for good.
    result.provisional = !is_settled && (result.provisional || may_be_mended);
  }

 private:
  static Sentence state(Outcome outcome) {
    switch (outcome) {
      case Outcome::kPassed:
        return say("state.passed");
      case Outcome::kPartial:
        return say("state.partial");
      case Outcome::kPending:
        return say("state.pending");
      case Outcome::kFailed:
        return say("state.failed");
      case Outcome::kSystemError:
        return say("state.system_error");
    }
    return {};
  }

  const Rubric& rubric_;
  std::map<std::string, ItemResult>& results_;
  std::set<std::string> done_;
};

Score total(std::vector<ItemResult> items) {
  Score score;
  for (const ItemResult& item : items) {
    score.points += item.points;
    score.max_points += item.max_points;
    score.provisional = score.provisional || item.provisional || item.status == Outcome::kPending;
    score.system_error = score.system_error || item.status == Outcome::kSystemError;
  }
  score.items = std::move(items);
  return score;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kPartial:
      return "partial";
    case Outcome::kPending:
      return "pending";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kSystemError:
      return "system_error";
  }
  return "";
}

constexpr std::string_view kFinding = "finding.";

/// The sentences that one case's verdict rests on, by their ids.
using Evidence = std::vector<std::string>;

/// None where the verdict is not about what the item asks, but about a program that crashed or never ended. Where a finding
/// explains a wrong result, hints about wrong results would lead elsewhere.
std::vector<Evidence> evidence_of(const CaseVerdict& verdict) {
  if (!verdict.is_about_item) return {};
  Evidence ids;
  if (!verdict.because.id.starts_with(kFinding)) ids = ids_of(verdict.message);
  const Evidence more = ids_of(verdict.because);
  ids.insert(ids.end(), more.begin(), more.end());
  // A finding's checker, which "finding.race" names, is what its own ids begin with.
  for (const std::string& id : {verdict.message.id, verdict.because.id}) {
    if (id.starts_with(kFinding)) ids.push_back(id.substr(kFinding.size()));
  }
  return {ids};
}

/// What the student may know of a hidden case: the kind of the reason alone, which its hidden form tells as well.
std::vector<Evidence> evidence_of_hidden(CaseVerdict verdict) {
  verdict.message.args.clear();
  verdict.because = {};
  if (hidden_form(verdict.message).empty()) verdict.message = {};
  return evidence_of(verdict);
}

/// The verdicts that an item's reason is about, the one that it quotes first.
std::vector<const CaseVerdict*> reasons_of(const Rubric& rubric, const Item& item,
                                           const std::vector<CaseVerdict>& verdicts) {
  const std::vector<std::string> counted = counted_cases(rubric, item, verdicts);
  std::vector<const CaseVerdict*> worst;
  for (const CaseVerdict& each : verdicts) {
    const bool counts = std::find(counted.begin(), counted.end(), each.case_id) != counted.end();
    if (each.item_id != item.id || !counts) continue;
    if (!worst.empty() && each.status > worst.front()->status) worst.clear();
    if (worst.empty() || each.status == worst.front()->status) worst.push_back(&each);
  }
  if (!worst.empty() && worst.front()->status == Outcome::kPartial)
    std::stable_sort(worst.begin(), worst.end(),
                     [](const auto* a, const auto* b) { return a->fraction < b->fraction; });
  return worst;
}

/// The evidence behind what the student reads: of a public case, of a public case that shows the same fault, or of
/// every kind of failure in hidden ones.
std::vector<Evidence> students_evidence(const Rubric& rubric,
                                        const std::vector<const CaseVerdict*>& reasons,
                                        const std::vector<CaseVerdict>& all) {
  for (const CaseVerdict* each : reasons) {
    if (is_public(rubric, *each)) return evidence_of(*each);
  }
  std::vector<Evidence> kinds;
  for (const CaseVerdict* each : reasons) {
    const CaseVerdict* const twin =
        each->status == Outcome::kFailed ? public_twin(rubric, *each, all) : nullptr;
    if (twin != nullptr) return evidence_of(*twin);
    for (Evidence& kind : evidence_of_hidden(*each)) kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// Adds the first of the item's hints that fits the first evidence that any fits.
void add_hint(const Item& item, const std::vector<Evidence>& evidence, std::string& message) {
  for (const Evidence& ids : evidence) {
    const auto hint = std::find_if(item.hints.begin(), item.hints.end(),
                                   [&](const Hint& each) { return each.fits_one_of(ids); });
    if (hint == item.hints.end()) continue;
    message += '\n' + say("item.hint", {{"hint", hint->text}}).text;
    return;
  }
}

Score score(const Rubric& rubric, const std::vector<CaseVerdict>& verdicts) {
  std::map<std::string, ItemResult> results;
  for (const Item& item : rubric.items) results[item.id] = judge(rubric, item, verdicts);
  Needs needs(rubric, results);
  for (const Item& item : rubric.items) needs.apply(item);
  std::vector<ItemResult> items;
  for (const Item& item : rubric.items) {
    ItemResult& result = results.at(item.id);
    const bool lost = result.status == Outcome::kFailed || result.status == Outcome::kPartial;
    const std::vector<const CaseVerdict*> reasons = reasons_of(rubric, item, verdicts);
    // A hint to another case than the one that is quoted would contradict its reason.
    if (lost && result.cause.empty() && !reasons.empty()) {
      add_hint(item, evidence_of(*reasons.front()), result.message);
      add_hint(item, students_evidence(rubric, reasons, verdicts), result.student_message);
    }
    items.push_back(std::move(result));
  }
  return total(std::move(items));
}

Score score_all(const Rubric& rubric, Outcome outcome, const Sentence& reason) {
  std::vector<ItemResult> items;
  for (const Item& item : rubric.items) {
    items.push_back(blank_result(rubric, item));
    items.back().status = outcome;
    items.back().reason = reason;
    items.back().message = items.back().student_message = reason.text;
  }
  return total(std::move(items));
}

}  // namespace warpgrade
