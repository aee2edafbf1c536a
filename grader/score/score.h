// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sentence.h"
#include "check/flag.h"
#include "check/wrong_map.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// In order of precedence: what several cases say together is the last of what each says.
enum class Outcome { kPassed, kPartial, kPending, kFailed, kSystemError };

std::string_view to_string(Outcome outcome);

/// What one case says about one item. A build item's verdict has no case.
struct CaseVerdict {
  std::string case_id;
  std::string item_id;
  Outcome status = Outcome::kPassed;
  Sentence message = {};  ///< Why it did not pass; where it did, what was measured, if anything.
  Sentence because = {};  ///< The checker's finding that explains it; may be empty.
  bool is_about_item =
      true;  ///< False where the program did not get as far as to be judged: no hint helps.
  double fraction = 1;       ///< The share of the points, where it passed, or passed in part.
  bool provisional = false;  ///< By the time model; a GPU may say otherwise.
  bool undecided = false;    ///< Measured, but not well enough to tell from fewer points.
  std::vector<Flag> flags = {};
  std::optional<double> value = {};  ///< What the item's curve was asked for, such as a speedup.
  std::optional<WrongMap> map = {};  ///< Where an output is wrong.
  bool cut_off = false;  ///< A crash or a limit ended the program before the item could be judged.
};

/// One line of the grade with its reason.
struct ItemResult {
  std::string id;
  std::string title;
  ItemKind kind = ItemKind::kCorrectness;
  double points = 0;
  double max_points = 0;
  Outcome status = Outcome::kPassed;
  Visibility visibility = Visibility::kPublic;  ///< kHidden where a hidden case takes part.
  std::string message = {};  ///< First line: the reason. A second one: the hint that fits it.
  /// The same for the student: of hidden cases only how many they are and what kind of failure.
  std::string student_message = {};
  std::string case_id =
      {};  ///< The case that `message` names, the first of those that it is about.
  std::vector<std::string> lost_in = {};  ///< The cases that did not pass it in full.
  Sentence reason = {};                   ///< The sentence at the heart of `message`.
  Sentence because = {};                  ///< The finding that explains it, where one does.
  std::string cause = {};  ///< The item whose loss takes this one's points; empty = its own.
  bool provisional =
      false;  ///< By the time model, itself or what it needs: a GPU may say otherwise.
  bool undecided =
      false;  ///< Given the better of two numbers of points that could not be told apart.
  std::vector<Flag> flags = {};  ///< For the staff to look at.

  bool operator==(const ItemResult&) const = default;
};

struct Score {
  std::vector<ItemResult> items;
  double points = 0;
  double max_points = 0;
  bool provisional = false;   ///< Some item is pending, or was judged by the time model.
  bool system_error = false;  ///< Some item could not be judged; the points are no grade.
};

/// Points for every item of the rubric. An item without a verdict for one of its cases is a system
/// error, not a loss. A condition (0 points) leaves out cases that a crash cut off, where an item with
/// points pays for the crash and another case shows that the condition holds.
Score score(const Rubric& rubric, const std::vector<CaseVerdict>& verdicts);

/// The score of a program that never ran: every item gets `outcome` (kFailed or kSystemError) and
/// the same reason.
Score score_all(const Rubric& rubric, Outcome outcome, const Sentence& reason);

}  // namespace warpgrade
