// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "check/arrays.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Answers that no case may take for right.
enum class WrongAnswer { kZeros, kPoison, kInput, kOtherSeed, kHalf };
constexpr size_t kWrongAnswers = 5;

/// "zeros", "poison", "input", "other seed", "half precision"
std::string_view to_string(WrongAnswer wrong);

/// What a case makes of one of them. The last but one is good news, too: what is equal to the right
/// answer cannot be refused.
enum class Reception {
  kNone,     ///< there is no such answer: no input of this shape, no floats
  kRefused,  ///< as it should be
  kSame,     ///< it is the right answer
  kAccepted  ///< it differs from the right answer and passes
};

std::string_view to_string(Reception reception);

/// What an oracle says about a case, and about the same case with another seed.
struct CaseAnswers {
  Arrays inputs;
  Arrays expected;
  Arrays other_expected;
};

/// How one case stands up to wrong answers.
struct CaseProof {
  std::string case_id;
  std::array<Reception, kWrongAnswers> receptions{};
  std::vector<std::string> complaints;

  Reception of(WrongAnswer wrong) const { return receptions[static_cast<size_t>(wrong)]; }
};

/// Hands each output that some item compares in this case to `compare`, one at a time in each wrong
/// version. No student's program takes part.
CaseProof prove_case(const Rubric& rubric, const Case& the_case, const CaseAnswers& answers);

/// Whether some item compares outputs of this case.
bool is_compared(const Rubric& rubric, const std::string& case_id);

/// Floats as a half-precision variable would have kept them; other arrays unchanged.
NpyArray rounded_to_half(const NpyArray& array);

}  // namespace warpgrade
