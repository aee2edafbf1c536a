// SPDX-License-Identifier: MIT
#include "report/formats/match_students.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"

namespace warpgrade {
namespace {

/// One who may be graded: who handed a result in, or another member of the group.
struct Candidate {
  size_t result = 0;
  std::string student;
  std::string name;
  std::map<std::string, std::string> ids;
};

using Keys = std::set<std::string>;

/// Small letters, with single blanks.
std::string plain(std::string_view text) {
  std::string out;
  for (const std::string& word : split(trim(text), ' ')) {
    if (word.empty()) continue;
    if (!out.empty()) out += ' ';
    for (const char c : word) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

/// "Anić, Ana" and "Ana Anić" are one name.
std::string plain_name(std::string_view name) {
  const size_t comma = name.find(',');
  if (comma == std::string_view::npos) return plain(name);
  return plain(fmt::format("{} {}", name.substr(comma + 1), name.substr(0, comma)));
}

void add(Keys& keys, std::string key) {
  if (!key.empty()) keys.insert(std::move(key));
}

std::string id_of(const std::map<std::string, std::string>& ids, const std::string& kind) {
  const auto found = ids.find(kind);
  return found == ids.end() ? "" : plain(found->second);
}

std::vector<Candidate> candidates_of(const std::vector<SubmissionResult>& results) {
  std::vector<Candidate> all;
  for (size_t i = 0; i < results.size(); ++i) {
    const Identity& identity = results[i].identity;
    all.push_back({i, results[i].student, identity.name, identity.ids});
    for (const std::string& member : identity.group) {
      if (member != results[i].student) all.push_back({i, member, "", {}});
    }
  }
  return all;
}

/// What a row may be called in one stage of matching, and what a candidate may be.
struct Stage {
  std::string what;
  Keys (*row)(const SheetPerson&, const std::string&);
  Keys (*candidate)(const Candidate&, const std::string&);
};

Keys row_id(const SheetPerson& person, const std::string& kind) {
  Keys keys;
  add(keys, id_of(person.ids, kind));
  return keys;
}

Keys candidate_id(const Candidate& candidate, const std::string& kind) {
  Keys keys;
  add(keys, id_of(candidate.ids, kind));
  return keys;
}

/// Any id of the row, and what stands before an '@'.
Keys row_any_id(const SheetPerson& person, const std::string&) {
  Keys keys;
  for (const auto& [kind, id] : person.ids) {
    add(keys, plain(id));
    add(keys, plain(id.substr(0, id.find('@'))));
  }
  return keys;
}

Keys candidate_student(const Candidate& candidate, const std::string&) {
  Keys keys;
  add(keys, plain(candidate.student));
  return keys;
}

Keys row_name(const SheetPerson& person, const std::string&) {
  Keys keys;
  add(keys, plain_name(person.name));
  return keys;
}

Keys candidate_name(const Candidate& candidate, const std::string&) {
  Keys keys;
  add(keys, plain_name(candidate.name));
  if (candidate.name.empty()) add(keys, plain_name(candidate.student));
  return keys;
}

class Matcher {
 public:
  Matcher(const std::vector<SubmissionResult>& results, const std::vector<SheetPerson>& people,
          std::string own)
      : people_(people), own_(std::move(own)), candidates_(candidates_of(results)) {}

  void run(const Stage& stage, const std::string& kind);
  StudentMatch finish();

 private:
  bool contradicts(size_t person, size_t candidate) const {
    const std::string a = id_of(people_[person].ids, own_),
                      b = id_of(candidates_[candidate].ids, own_);
    return !a.empty() && !b.empty() && a != b;
  }
  /// The open rows that each open candidate may be.
  std::map<size_t, std::set<size_t>> claims(const Stage& stage, const std::string& kind) const;
  std::string describe(const Stage& stage, size_t candidate, const std::set<size_t>& people,
                       const std::set<size_t>& rivals) const;

  const std::vector<SheetPerson>& people_;
  const std::string own_;
  const std::vector<Candidate> candidates_;
  std::set<size_t> closed_people_, closed_candidates_;
  StudentMatch match_;
};

std::map<size_t, std::set<size_t>> Matcher::claims(const Stage& stage,
                                                   const std::string& kind) const {
  std::map<std::string, std::set<size_t>> people;
  for (size_t i = 0; i < people_.size(); ++i) {
    if (closed_people_.count(i) != 0) continue;
    for (const std::string& key : stage.row(people_[i], kind)) people[key].insert(i);
  }
  std::map<size_t, std::set<size_t>> claimed;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (closed_candidates_.count(i) != 0) continue;
    for (const std::string& key : stage.candidate(candidates_[i], kind)) {
      for (const size_t person : people[key]) {
        if (!contradicts(person, i)) claimed[i].insert(person);
      }
    }
  }
  return claimed;
}

void Matcher::run(const Stage& stage, const std::string& kind) {
  const std::map<size_t, std::set<size_t>> claimed = claims(stage, kind);
  // Candidates by the row that they claim: those of one result agree.
  std::map<size_t, std::set<size_t>> rivals, results;
  for (const auto& [candidate, people] : claimed) {
    for (const size_t person : people) {
      rivals[person].insert(candidate);
      results[person].insert(candidates_[candidate].result);
    }
  }
  for (const auto& [candidate, people] : claimed) {
    const size_t first = *people.begin();
    if (people.size() == 1 && results[first].size() == 1) {
      match_.result_of[first] = candidates_[candidate].result;
    } else {
      match_.ambiguous.push_back(describe(stage, candidate, people, rivals[first]));
    }
    closed_people_.insert(people.begin(), people.end());
    closed_candidates_.insert(candidate);
  }
}

std::string Matcher::describe(const Stage& stage, size_t candidate, const std::set<size_t>& people,
                              const std::set<size_t>& rivals) const {
  std::vector<std::string> rows, others;
  for (const size_t each : people) rows.push_back(std::to_string(people_[each].row + 1));
  for (const size_t each : rivals) {
    if (each != candidate) others.push_back(candidates_[each].student);
  }
  return fmt::format("{}: the {} fits row {}{}", printable(candidates_[candidate].student),
                     stage.what, join(rows, " and row "),
                     others.empty() ? "" : " and so does that of " + printable(join(others, ", ")));
}

StudentMatch Matcher::finish() {
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (closed_candidates_.count(i) == 0) match_.without_row.push_back(candidates_[i].student);
  }
  return std::move(match_);
}

}  // namespace

StudentMatch match_students(const std::vector<SubmissionResult>& results,
                            const std::vector<SheetPerson>& people, const std::string& own) {
  Matcher matcher(results, people, own);
  matcher.run({own + " id", row_id, candidate_id}, own);
  for (const char* kind : {"sis", "login", "email"})
    matcher.run({kind, row_id, candidate_id}, kind);
  matcher.run({"student id", row_any_id, candidate_student}, "");
  matcher.run({"name", row_name, candidate_name}, "");
  return matcher.finish();
}

}  // namespace warpgrade
