// SPDX-License-Identifier: MIT
#include "course/wrong_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/compare.h"

namespace warpgrade {
namespace {

constexpr std::byte kPoisonByte{0xFF};  // what drivers fill outputs with

bool is_float(const NpyArray& array) { return array.dtype.at(1) == 'f'; }

/// By value, so that 0 and -0 are the same.
bool same_answer(const NpyArray& right, const NpyArray& wrong) {
  if (right.dtype != wrong.dtype || right.shape != wrong.shape) return false;
  return is_float(right) ? right.as_doubles() == wrong.as_doubles() : right.bytes == wrong.bytes;
}

NpyArray filled(NpyArray array, std::byte with) {
  std::fill(array.bytes.begin(), array.bytes.end(), with);
  return array;
}

double to_half(double value) {
  constexpr int kLeastExponent = -14, kFractionBits = 10;
  constexpr double kFirstInfinity = 65520;
  if (value == 0 || !std::isfinite(value)) return value;
  if (std::abs(value) >= kFirstInfinity)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  const double step = std::ldexp(1, std::max(std::ilogb(value), kLeastExponent) - kFractionBits);
  return std::nearbyint(value / step) * step;
}

/// The wrong versions of one output; empty where there is none of this kind.
std::vector<NpyArray> wrong_versions(WrongAnswer wrong, const std::string& name,
                                     const CaseAnswers& answers) {
  const NpyArray& right = answers.expected.at(name);
  switch (wrong) {
    case WrongAnswer::kZeros:
      return {filled(right, std::byte{0})};
    case WrongAnswer::kPoison:
      return {filled(right, kPoisonByte)};
    case WrongAnswer::kInput: {
      std::vector<NpyArray> copies;
      for (const auto& [input, array] : answers.inputs) {
        if (array.dtype == right.dtype && array.shape == right.shape) copies.push_back(array);
      }
      return copies;
    }
    case WrongAnswer::kOtherSeed: {
      const auto other = answers.other_expected.find(name);
      if (other == answers.other_expected.end()) return {};
      return {other->second};
    }
    case WrongAnswer::kHalf:
      if (!is_float(right)) return {};
      return {rounded_to_half(right)};
  }
  return {};
}

/// The worst counts: one that passes, then one that was refused, then one that cannot be.
Reception worse(Reception a, Reception b) {
  for (const Reception each : {Reception::kAccepted, Reception::kRefused, Reception::kSame}) {
    if (a == each || b == each) return each;
  }
  return Reception::kNone;
}

/// Tries wrong answers on the outputs of one case.
class Prover {
 public:
  Prover(const Case& the_case, const CaseAnswers& answers) : answers_(answers) {
    proof_.case_id = the_case.id;
    facts_.values = the_case.values();
  }

  void try_item(const Item& item) {
    for (const OutputRule& rule : item.outputs) {
      if (answers_.expected.count(rule.array) == 0) {
        complain(fmt::format("{} compares {}, of which the oracle knows nothing here", item.id,
                             rule.array));
        continue;
      }
      holds_elements_ = holds_elements_ || answers_.expected.at(rule.array).count() != 0;
      for (size_t i = 0; i < kWrongAnswers; ++i)
        try_output(item, rule, static_cast<WrongAnswer>(i));
    }
  }

  CaseProof finish() {
    for (const WrongAnswer wrong : {WrongAnswer::kZeros, WrongAnswer::kPoison}) {
      if (holds_elements_ && proof_.of(wrong) == Reception::kSame)
        complain(fmt::format("the right answer is the same as {}", to_string(wrong)));
    }
    return std::move(proof_);
  }

 private:
  void complain(const std::string& what) {
    proof_.complaints.push_back(fmt::format("case {}: {}", proof_.case_id, what));
  }

  void try_output(const Item& item, const OutputRule& rule, WrongAnswer wrong) {
    Reception& reception = proof_.receptions[static_cast<size_t>(wrong)];
    const NpyArray& right = answers_.expected.at(rule.array);
    for (NpyArray& version : wrong_versions(wrong, rule.array, answers_)) {
      if (same_answer(right, version)) {
        reception = worse(reception, Reception::kSame);
        continue;
      }
      facts_.outputs = {{rule.array, std::move(version)}};
      const bool passed = compare(rule, right, facts_).passed;
      if (passed)
        complain(fmt::format("{} takes {} for a right {}", item.id, to_string(wrong), rule.array));
      reception = worse(reception, passed ? Reception::kAccepted : Reception::kRefused);
    }
  }

  const CaseAnswers& answers_;
  CaseFacts facts_;
  CaseProof proof_;
  bool holds_elements_ = false;
};

}  // namespace

std::string_view to_string(WrongAnswer wrong) {
  switch (wrong) {
    case WrongAnswer::kZeros:
      return "zeros";
    case WrongAnswer::kPoison:
      return "poison";
    case WrongAnswer::kInput:
      return "input";
    case WrongAnswer::kOtherSeed:
      return "other seed";
    case WrongAnswer::kHalf:
      return "half precision";
  }
  return "";
}

std::string_view to_string(Reception reception) {
  switch (reception) {
    case Reception::kNone:
      return "none";
    case Reception::kRefused:
      return "refused";
    case Reception::kSame:
      return "same";
    case Reception::kAccepted:
      return "accepted";
  }
  return "";
}

CaseProof prove_case(const Rubric& rubric, const Case& the_case, const CaseAnswers& answers) {
  Prover prover(the_case, answers);
  for (const Item& item : rubric.items) {
    if (item.is_judged_by(the_case.id)) prover.try_item(item);
  }
  return prover.finish();
}

bool is_compared(const Rubric& rubric, const std::string& case_id) {
  return std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return !item.outputs.empty() && item.is_judged_by(case_id);
  });
}

NpyArray rounded_to_half(const NpyArray& array) {
  if (!is_float(array)) return array;
  const std::vector<double> values = array.as_doubles();
  if (array.dtype == npy_dtype<double>()) {
    std::vector<double> rounded;
    for (const double value : values) rounded.push_back(to_half(value));
    return make_npy(array.shape, rounded);
  }
  std::vector<float> rounded;
  for (const double value : values) rounded.push_back(static_cast<float>(to_half(value)));
  return make_npy(array.shape, rounded);
}

}  // namespace warpgrade
