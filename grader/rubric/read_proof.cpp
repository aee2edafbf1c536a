// SPDX-License-Identifier: MIT
#include "rubric/read_proof.h"

#include <map>

namespace warpgrade {
namespace {

constexpr long kMostMutants = 100'000;

void ask(Fields& fields, MistakeKind& mistake) {
  fields.required("id", name_type(), mistake.id, "What a mutant's line `// class: ID.` names.");
  fields.required("title", text_type(), mistake.title, "The mistake, in a few words.");
}

void ask(Fields& fields, CheatKind& cheat) {
  fields.required("title", text_type(), cheat.title, "What the program does.");
  fields.required("defence", text_type(), cheat.defence, "Why it earns nothing.");
  fields.optional("shown_by", list_type(text_type()), cheat.shown_by,
                  "Mutants that show it, by their paths in the course.");
}

void ask(Fields& fields, ProofPolicy& proof) {
  fields.optional("mutants_of_course", integer_type(0, kMostMutants), proof.mutants_of_course,
                  "The least number of mutants in the whole course.");
  fields.optional("mutants_of_assignment", integer_type(0, kMostMutants),
                  proof.mutants_of_assignment, "The least number of mutants of an assignment.");
  fields.optional("mistakes_of_assignment", integer_type(0, kMostElements),
                  proof.mistakes_of_assignment,
                  "The least number of kinds of mistakes among an assignment's mutants.");
  fields.optional("case_kinds", choice_type<bool>({{"optional", false}, {"covered", true}}),
                  proof.covers_case_kinds,
                  "`covered`: each requirement is judged in cases of every kind, or its item says "
                  "why not under `leaves_out`.");
  fields.optional(
      "mistakes",
      list_type(map_type<MistakeKind>(
          "a kind of mistake", [](Fields& own, MistakeKind& mistake) { ask(own, mistake); })),
      proof.mistakes,
      "The kinds of mistakes that mutants name. Where there are none, a mutant needs "
      "no line `// class:`.");
  fields.optional(
      "cheats",
      list_type(map_type<CheatKind>("a kind of cheat",
                                    [](Fields& own, CheatKind& cheat) { ask(own, cheat); })),
      proof.cheats,
      "The kinds of cheats, which an exploit's line `// cheat: NUMBER, ...` counts from 1.");
}

}  // namespace

Type<ProofPolicy> proof_type() {
  return map_type<ProofPolicy>("the proof's policy",
                               [](Fields& fields, ProofPolicy& proof) { ask(fields, proof); });
}

void check_mistakes(const Yaml& root, Diagnostics& errors) {
  const Yaml* proof = root.find("proof");
  const Yaml* list = proof == nullptr ? nullptr : proof->find("mistakes");
  if (list == nullptr) return;
  std::map<std::string, int> seen;
  for (const Yaml& mistake : list->elements) {
    const Yaml* id = mistake.find("id");
    if (id == nullptr) continue;
    const auto [first, is_new] = seen.emplace(id->text, id->place.line);
    if (!is_new)
      errors.add(id->place, fmt::format("'{}' is listed in line {} already; remove one of them",
                                        id->text, first->second));
  }
}

}  // namespace warpgrade
