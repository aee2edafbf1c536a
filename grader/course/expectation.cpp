// SPDX-License-Identifier: MIT
#include "course/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "course/mutant_class.h"

namespace warpgrade {
namespace {

constexpr std::string_view kExpect = "// expect:";
constexpr std::string_view kComment = "//";
constexpr const char* kNothing = "nothing";

/// A word of the header and the line that it stands on.
struct Word {
  std::string text;
  size_t line;
};

/// The `// expect:` list, and the number of lines that it takes.
struct ExpectList {
  std::vector<Word> words;
  size_t lines = 0;
};

ExpectList read_list(const std::vector<std::string>& lines) {
  ExpectList list;
  std::string_view rest = trim(lines.front());
  if (!rest.starts_with(kExpect)) return list;
  rest = rest.substr(kExpect.size());
  while (true) {
    for (const std::string& piece : split(rest, ',')) {
      if (!trim(piece).empty()) list.words.push_back({std::string(trim(piece)), list.lines + 1});
    }
    ++list.lines;
    const bool goes_on = !trim(rest).empty() && trim(rest).back() == ',';
    if (!goes_on || list.lines == lines.size()) return list;
    rest = trim(lines[list.lines]);
    if (!rest.starts_with(kComment)) return list;
    rest = rest.substr(kComment.size());
  }
}

/// Takes the words that end with a question mark out of `words`, and returns them without it.
std::vector<Word> take_uncertain(std::vector<Word>& words) {
  std::vector<Word> certain, uncertain;
  for (Word& word : words) {
    const bool is_uncertain = word.text.back() == '?';
    if (is_uncertain) word.text.pop_back();
    (is_uncertain ? uncertain : certain).push_back(std::move(word));
  }
  words = std::move(certain);
  return uncertain;
}

/// Collects mistakes as `name:line: error: ...`.
class Mistakes {
 public:
  explicit Mistakes(std::string_view name) : name_(name) {}

  void add(size_t line, std::string_view what) {
    all_.push_back(fmt::format("{}:{}: error: {}", name_, line, what));
  }
  bool empty() const { return all_.empty(); }
  Error error() const { return {join(all_, "\n")}; }

 private:
  std::string_view name_;
  std::vector<std::string> all_;
};

/// Whether the list says that nothing is lost, which an item of that name would make ambiguous.
bool says_nothing(const ExpectList& list, const Rubric& rubric, Mistakes& mistakes) {
  if (list.words.size() != 1 || list.words.front().text != kNothing) return false;
  if (rubric.find_item(kNothing) != nullptr)
    mistakes.add(1,
                 "\"nothing\" means no item here: give the rubric's item of that name another id");
  return true;
}

std::vector<std::string> known_items(const std::vector<Word>& words, const Rubric& rubric,
                                     Mistakes& mistakes) {
  std::vector<std::string> ids, all;
  for (const Item& item : rubric.items) all.push_back(item.id);
  for (const Word& word : words) {
    if (rubric.find_item(word.text) == nullptr) {
      const std::string meant = nearest(word.text, all);
      mistakes.add(word.line,
                   fmt::format("the rubric has no item \"{}\"{}", word.text,
                               meant.empty() ? "" : fmt::format(": is {} meant?", meant)));
    } else if (std::count(ids.begin(), ids.end(), word.text) > 0) {
      mistakes.add(word.line, fmt::format("{} is named twice", word.text));
    } else {
      ids.push_back(word.text);
    }
  }
  return ids;
}

/// Whether the line means to name a kind of mistake.
bool is_class_line(std::string_view line) {
  return line.starts_with(kComment) && trim(line.substr(kComment.size())).starts_with("class:");
}

std::string read_class(std::string_view line, size_t number, const ProofPolicy& proof,
                       Mistakes& mistakes) {
  line = trim(line);
  const std::string id = line.starts_with(kComment)
                             ? mutant_class_of(line.substr(kComment.size()), proof.mistakes)
                             : "";
  const bool has_none = proof.mistakes.empty() && !is_class_line(line);
  if (!id.empty() || has_none) return id;
  std::vector<std::string> ids;
  for (const MistakeKind& each : proof.mistakes) ids.push_back(each.id);
  mistakes.add(number, fmt::format("wanted \"// class: ID. What is wrong.\"{}",
                                   ids.empty() ? "" : " with an ID out of " + join(ids, " ")));
  return id;
}

constexpr std::string_view kCheat = "// cheat: ";
constexpr std::string_view kOutcomes[] = {"rejected", "earns nothing", "flagged"};

/// Whether the line is "// cheat: 5, OUTCOME. What it does." A course that lists no cheats takes any number.
bool names_a_cheat(std::string_view line, const ProofPolicy& proof) {
  if (!line.starts_with(kCheat)) return false;
  const std::string rest(line.substr(kCheat.size()));
  const int row = std::atoi(rest.c_str());
  const bool is_listed = proof.cheats.empty() || row <= static_cast<int>(proof.cheats.size());
  return row >= 1 && is_listed &&
         std::any_of(std::begin(kOutcomes), std::end(kOutcomes), [&](std::string_view outcome) {
           return rest.starts_with(fmt::format("{}, {}. ", row, outcome));
         });
}

}  // namespace

Result<Expectation> read_mutant_header(std::string_view name, std::string_view source,
                                       const Rubric& rubric) {
  Mistakes mistakes(name);
  Expectation expectation;
  const std::vector<std::string> lines = split(source, '\n');
  ExpectList list = read_list(lines);
  const bool starts_uncertain = !list.words.empty() && list.words.front().text.back() == '?';
  const std::vector<Word> uncertain = take_uncertain(list.words);
  if (list.words.empty()) {
    mistakes.add(1,
                 "wanted \"// expect: ITEM[, ITEM...]\": the items that do not pass, first the "
                 "one that catches it");
  } else if (starts_uncertain) {
    mistakes.add(1, "the first item must catch the mutant whatever the inputs are: no '?' there");
  } else if (says_nothing(list, rubric, mistakes)) {
    mistakes.add(1, "a mutant loses something; an answer that loses nothing belongs in accepted/");
  } else {
    expectation.items = known_items(list.words, rubric, mistakes);
    expectation.may_fail = known_items(uncertain, rubric, mistakes);
  }
  const size_t class_line = std::max<size_t>(1, list.lines);
  expectation.mutant_class = read_class(class_line < lines.size() ? lines[class_line] : "",
                                        class_line + 1, rubric.proof, mistakes);
  if (!mistakes.empty()) return mistakes.error();
  return expectation;
}

Result<Expectation> read_accepted_header(std::string_view name, std::string_view source,
                                         const Rubric& rubric) {
  Mistakes mistakes(name);
  Expectation expectation;
  const ExpectList list = read_list(split(source, '\n'));
  if (list.words.empty()) {
    mistakes.add(1,
                 "wanted \"// expect: nothing\", or the efficiency and performance items that "
                 "it may lose");
  } else if (!says_nothing(list, rubric, mistakes)) {
    expectation.items = known_items(list.words, rubric, mistakes);
  }
  for (const std::string& id : expectation.items) {
    if (!is_measured(*rubric.find_item(id)))
      mistakes.add(
          1, fmt::format("{} is no efficiency or performance item: a right answer keeps it", id));
  }
  if (!mistakes.empty()) return mistakes.error();
  return expectation;
}

Result<Expectation> read_exploit_header(std::string_view name, std::string_view source,
                                        const Rubric& rubric) {
  Mistakes mistakes(name);
  Expectation expectation;
  const std::vector<std::string> lines = split(source, '\n');
  ExpectList list = read_list(lines);
  const std::vector<Word> uncertain = take_uncertain(list.words);
  if (list.lines == 0) {
    mistakes.add(1, "wanted \"// expect: nothing\", or the items that do not pass");
  } else if (!says_nothing(list, rubric, mistakes)) {
    expectation.items = known_items(list.words, rubric, mistakes);
  }
  expectation.may_fail = known_items(uncertain, rubric, mistakes);
  const size_t cheat_line = std::max<size_t>(1, list.lines);
  if (!names_a_cheat(cheat_line < lines.size() ? lines[cheat_line] : "", rubric.proof))
    mistakes.add(cheat_line + 1,
                 fmt::format("wanted \"// cheat: ROW, OUTCOME. What it does.\" "
                             "with a ROW of 'cheats' in course.yaml and an OUTCOME out of {}",
                             fmt::join(kOutcomes, ", ")));
  if (!mistakes.empty()) return mistakes.error();
  return expectation;
}

Result<Expectation> read_loses(std::string_view name, std::string_view text, const Rubric& rubric) {
  Mistakes mistakes(name);
  Expectation expectation;
  std::vector<Word> words;
  const std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t comment = lines[i].find('#');
    const std::string id(trim(lines[i].substr(0, comment)));
    if (!id.empty()) words.push_back({id, i + 1});
    if (comment == std::string::npos) continue;
    const std::string named =
        mutant_class_of(std::string_view(lines[i]).substr(comment + 1), rubric.proof.mistakes);
    if (!named.empty()) expectation.mutant_class = named;
  }
  expectation.items = known_items(words, rubric, mistakes);
  if (!mistakes.empty()) return mistakes.error();
  return expectation;
}

bool is_measured(const Item& item) {
  return item.kind == ItemKind::kEfficiency || item.kind == ItemKind::kPerformance;
}

}  // namespace warpgrade
