// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/rubric.h"

namespace warpgrade {

/// What the first lines of a submission of the staff's own say about it.
struct Expectation {
  std::vector<std::string> items;     ///< that do not pass; the first is the one that must catch it
  std::vector<std::string> may_fail;  ///< besides them, depending on the seed of the inputs
  std::string mutant_class;           ///< "G1"; empty for an accepted answer
};

/// Reads `// expect: ITEM[, ITEM...]` and `// class: G1. What is wrong.` from the top of a mutant.
/// ITEM? may pass or not, as the inputs happen to be; the first must not be one of these. A list that
/// ends a line with a comma goes on in the next. The Error is one
/// `name:line: error: ...` for each mistake.
Result<Expectation> read_mutant_header(std::string_view name, std::string_view source,
                                       const Rubric& rubric);

/// Reads `// expect: nothing`, or the efficiency and performance items that may be lost, from the
/// top of an accepted answer.
Result<Expectation> read_accepted_header(std::string_view name, std::string_view source,
                                         const Rubric& rubric);

/// Reads `// expect: nothing`, or the items that do not pass, and `// cheat: 5, OUTCOME. What it does.`
/// from the top of an exploit. OUTCOME is "rejected" (proved, everything is lost), "earns nothing" (by
/// cheating) or "flagged" (for a human to look at).
Result<Expectation> read_exploit_header(std::string_view name, std::string_view source,
                                        const Rubric& rubric);

/// Reads a loses.txt: items, one per line; `#` begins a comment, and `# class: G1. ...` names the
/// kind of mistake.
Result<Expectation> read_loses(std::string_view name, std::string_view text, const Rubric& rubric);

/// Whether the item measures how well a program does what it does right.
bool is_measured(const Item& item);

}  // namespace warpgrade
