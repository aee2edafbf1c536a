// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/teller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

std::string names_of(const Checkers& checkers) {
  const std::pair<bool, const char*> all[] = {{checkers.memory, "memory"},
                                              {checkers.init, "init"},
                                              {checkers.race, "race"},
                                              {checkers.sync, "sync"},
                                              {checkers.api, "api"},
                                              {checkers.padding, "padding"},
                                              {checkers.race && checkers.fences, "fences"}};
  std::vector<std::string> names;
  for (const auto& [is_on, name] : all) {
    if (is_on) names.emplace_back(name);
  }
  return join(names, ", ");
}

void print_line(const std::string& words) {
  fmt::print(stderr, "warpgrade: {}\n", printable(words));
}

/// The sooner, the likelier a cause: what ends a kernel, then what is not ordered, then what is missing for it, and last
/// the loop that does not end for it.
int rank_of(const Finding& finding) {
  if (finding.checker == "race") return 1;
  if (finding.checker == "init") return 2;
  return finding.checker == "limit" ? 3 : 0;
}

bool ends_kernel(const Finding& finding) {
  return finding.checker == "memory" || finding.checker == "limit";
}

/// Two threads that each change a value which they have read. No access out of bounds leads to that.
bool is_lost_update(const Finding& finding) {
  const std::vector<std::string> ids = ids_of(finding.message);
  return std::any_of(ids.begin(), ids.end(), [](const std::string& id) {
    return id == "advice.atomic_for_both" || id == "advice.atomic_for_one";
  });
}

/// Two accesses that race are found twice, once from each side.
std::string place_key(const Finding& finding) {
  const int other = finding.other_line == 0 ? finding.line : finding.other_line;
  return fmt::format("{} {} {} {} {}", finding.checker, finding.kernel, finding.file,
                     std::min(finding.line, other), std::max(finding.line, other));
}

}  // namespace

void Teller::say_problem(const std::string& words) {
  ++problems_;
  print_line(words);
}

bool Teller::is_told_again(const Finding& finding, uint64_t launches) {
  if (finding.kernel.empty()) return false;
  const auto [kind, is_new] =
      told_.try_emplace(kind_of(finding), Told{launches, 0, without_thread(finding)});
  Told& before = kind->second;
  if (!is_new && before.in_launch != launches) {
    before.in_launch = launches;
    ++before.again;
  }
  return before.again > 0;
}

/// Whether a call that failed, which was told, explains the finding.
bool Teller::follows_call(const Finding& finding) {
  if (!finding.kernel.empty())
    return call_failed_ && (ends_kernel(finding) || finding.checker == "init");
  const bool is_complaint = finding.checker == "api" && call_failed_;
  call_failed_ = call_failed_ || finding.checker == "memory";
  return is_complaint;
}

bool Teller::is_told_here(const Finding& finding) {
  return !places_.insert(place_key(finding)).second;
}

void Teller::tell(const Finding& finding, uint64_t launches) {
  if (audience_ == Audience::nobody || is_told_again(finding, launches)) return;
  if (audience_ == Audience::tools) return print_line(in_words(finding));
  if (!finding.kernel.empty()) {
    found_.push_back(finding);
  } else if (follows_call(finding) || said_.contains(finding.message.key())) {
    ++consequences_;
  } else {
    say_problem(in_words(finding));
  }
}

void Teller::tell_cause(const Finding& cause) {
  if (audience_ != Audience::people || !said_.insert(cause.message.key()).second) return;
  if (std::exchange(call_failed_, true)) {
    ++consequences_;
  } else {
    say_problem(in_words(cause));
  }
}

void Teller::end_of_launch() {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Finding& a, const Finding& b) { return rank_of(a) < rank_of(b); });
  bool has_ended = false, races = false;
  for (const Finding& finding : std::exchange(found_, {})) {
    const bool follows = follows_call(finding) || (has_ended && !is_lost_update(finding)) ||
                         (races && finding.checker == "init") || is_told_here(finding);
    has_ended = has_ended || finding.checker == "memory";
    races = races || finding.checker == "race";
    if (follows) {
      ++consequences_;
    } else {
      told_[kind_of(finding)].is_said = true;
      say_problem(in_words(finding));
    }
  }
}

void Teller::end(const Checkers& checkers) {
  if (audience_ == Audience::nobody) return;
  end_of_launch();
  for (const auto& [kind, before] : told_) {
    if (before.again > 0 && (before.is_said || audience_ == Audience::tools))
      print_line(say("told.again", {{"launches", before.again}, {"finding", before.first}}).text);
  }
  const std::string names = names_of(checkers);
  if (audience_ != Audience::people || (names.empty() && problems_ == 0)) return;
  const Sentence more =
      consequences_ == 0 ? Sentence() : say("told.consequences", {{"findings", consequences_}});
  const Sentence summary =
      say("told.problems", {{"problems", problems_},
                            {"more", more},
                            {"checkers", names.empty() ? say("told.nothing").text : names}});
  print_line(summary.text);
}

}  // namespace warpgrade::emulator
