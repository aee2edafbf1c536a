// SPDX-License-Identifier: MIT
// Whatever people read of a result is in the result's language: nothing of a page's frame stays English.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "report/class_page.h"
#include "report/decisions.h"
#include "report/formats/github.h"
#include "report/formats/gradescope.h"
#include "report/sample_results.h"
#include "report/sample_run.h"
#include "report/student_page.h"
#include "report/text_report.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

using WordSet = std::set<std::string>;

/// What the sample says of its own, which is no word of any language.
constexpr const char* kOwn = "zzz";
constexpr const char* kSource = "// zzz\nzzz zzz;\nzzz zzz;\n";
constexpr size_t kLeastLetters = 4;

/// Words of ASCII letters that are long enough to tell languages apart; a letter beyond ASCII makes a word another one.
WordSet words_of(std::string_view text) {
  WordSet words;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0 || byte >= 0x80 || c == '_') {
      word += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
      continue;
    }
    if (word.size() >= kLeastLetters) words.insert(word);
    word.clear();
  }
  return words;
}

/// The words of a language's sentences, without what fills their places.
WordSet words_in(const std::string& language) {
  const fs::path golden = std::getenv("WARPGRADE_GOLDEN");
  const Result<std::string> lines =
      RealFiles().read(golden / "../../sentences" / (language + ".txt"));
  WordSet words;
  for (const std::string& line : split(lines.ok() ? *lines : "", '\n')) {
    const size_t colon = line.find(": ");
    if (line.starts_with("#") || colon == std::string::npos) continue;
    std::string text;
    bool in_place = false;
    for (const char c : line.substr(colon + 2)) {
      in_place = c == '{' || (in_place && c != '}' && c != ':');
      text += in_place ? ' ' : c;
    }
    words.merge(words_of(text));
  }
  return words;
}

void replace_all(std::string& text, std::string_view from, std::string_view upto,
                 const std::string& by) {
  for (size_t begin = text.find(from); begin != std::string::npos; begin = text.find(from, begin)) {
    const size_t end = text.find(upto, begin + from.size());
    if (end == std::string::npos) return;
    text.replace(begin, end + upto.size() - begin, by);
  }
}

void add_texts(const nlohmann::json& json, std::string& text) {
  if (json.is_string()) text += json.get<std::string>() + '\n';
  if (!json.is_structured()) return;
  for (const auto& each : json) add_texts(each, text);
}

/// What a person reads or hears of a page; text of machines, which stands in `code`, is left out.
std::string shown(std::string page) {
  std::string text;
  const std::string data = "id=\"data\">";
  if (const size_t begin = page.find(data); begin != std::string::npos) {
    const size_t from = begin + data.size();
    add_texts(nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from)), text);
  }
  // What the script fills in.
  replace_all(text, "{", "}", " ");
  replace_all(page, "<style", "</style>", " ");
  replace_all(page, "<script", "</script>", " ");
  replace_all(page, "<code>", "</code>", " ");
  const std::string label = "aria-label=\"";
  for (size_t at = page.find(label); at != std::string::npos; at = page.find(label, at + 1))
    text += page.substr(at + label.size(), page.find('"', at + label.size()) - at - label.size()) +
            '\n';
  replace_all(page, "<", ">", " ");
  replace_all(page, "&", ";", " ");
  return text + page;
}

/// Lists of a result's rows, each of one case.
void rename_cases(SubmissionResult& result) {
  const auto rename = [](auto& rows) {
    for (auto& row : rows) row.case_id = kOwn;
  };
  rename(result.findings);
  rename(result.kernels);
  rename(result.lines);
  rename(result.wrong_outputs);
  rename(result.baseline_work);
  rename(result.speeds);
  rename(result.items);
  result.hidden_cases.clear();
}

/// Every name and message of the result becomes kOwn.
void rename_all(SubmissionResult& result) {
  rename_cases(result);
  result.assignment = result.diagnostics = result.identity.name = kOwn;
  for (ItemResult& item : result.items) {
    item.id = item.id == "speed" ? "zz" : kOwn;
    item.title = item.message = item.student_message = kOwn;
    item.flags.clear();
  }
  for (CaseFinding& each : result.findings) {
    Finding& finding = each.finding;
    finding.checker = finding.message = finding.kernel = kOwn;
    finding.file = "zzz.cu";
    if (finding.race) finding.race = RaceAccesses{kOwn, kOwn, kOwn, kOwn, "zzz.cu", 3, kOwn};
  }
  for (KernelRow& row : result.kernels) row.name = kOwn;
  for (LineRow& row : result.lines) row.kernel = kOwn;
  for (ProgramWork& work : result.baseline_work) work.program = kOwn;
  for (WrongOutput& output : result.wrong_outputs) output.map.places = output.map.array = kOwn;
  for (Speed& speed : result.speeds) speed.item_id = "zz";
}

/// A result with all that pages show, in the language, whose own words are kOwn.
SubmissionResult told_in(const std::string& language, const std::string& student) {
  SubmissionResult result = rich_result(student);
  rename_all(result);
  result.language = language;
  result.items[1].undecided = result.items[1].provisional = true;
  result.disagreements = {{kOwn, kOwn, kOwn, kOwn, kOwn, kOwn}};
  result.unobserved.assign(2, {kOwn, kOwn});
  result.sandbox.is_unsafe = true;
  apply_decisions(result, {{"", kOwn, DecisionKind::kAdd, 5, kOwn, kOwn, ""},
                           {"", "", DecisionKind::kNote, 0, kOwn, kOwn, ""}});
  result.late = Lateness{{0, 0}, {200'000, 0}, "file", true, 3000, 5, 35};
  result.provisional = true;
  return result;
}

std::string class_page_in(const std::string& language) {
  std::vector<SubmissionResult> all = {told_in(language, "ann"), told_in(language, "bob"),
                                       told_in(language, "cy")};
  all[2].items[0].status = Outcome::kSystemError;
  ClassExtras extras;
  extras.source_of = [](const SubmissionResult&) { return kSource; };
  extras.leaderboard = LeaderboardTerms{};
  extras.similar = {{{"ann", ""}, {"bob", ""}, 0.87, 40, {{40, {2, 3}, {2, 3}}}},
                    {{"ann", "changed"}, {"bob", ""}, 0.87, 40, {{40, {2, 3}, {2, 3}}}}};
  return shown(format_class_page(all, extras)) + shown(format_leaderboard(all, {})) +
         format_class(all);
}

std::string all_that_is_told_in(const std::string& language) {
  SubmissionResult result = told_in(language, "ann"), broken = result;
  broken.items[0].status = Outcome::kSystemError;
  ProgramRun run = sample_run(), killed = run;
  run.language = killed.language = language;
  killed.signal = 9;
  run.command = killed.command = run.trace.findings[0].checker = run.trace.findings[0].message =
      killed.trace.findings[0].message = killed.trace.findings[0].checker = kOwn;
  run.timeline[0].name = run.timeline[0].spans[0].name = killed.timeline[0].name =
      killed.timeline[0].spans[0].name = run.trace.findings[0].kernel =
          killed.trace.findings[0].kernel = kOwn;
  std::string gradescope;
  const auto json = nlohmann::json::parse(*format_gradescope(result, {"hidden", true, 99}));
  add_texts(json.at("output"), gradescope);
  return shown(format_student_page(result, kSource)) + shown(format_student_page(broken, kSource)) +
         shown(format_run_page(run, "zzz.cu", kSource)) +
         shown(format_run_page(killed, "zzz.cu", "")) + format_report(result) +
         format_report(broken) + format_staff_notes(result) + gradescope +
         format_github_summary({result}) + class_page_in(language);
}

/// Words that are English, and none of the language's own.
WordSet strangers_in(const std::string& text, const std::string& language) {
  const WordSet english = words_in("en"), own = words_in(language);
  WordSet strangers;
  for (const std::string& word : words_of(text)) {
    if (english.contains(word) && !own.contains(word)) strangers.insert(word);
  }
  return strangers;
}

TEST(Languages, LeaveNoEnglishWordAroundASentence) {
  ASSERT_EQ(languages().size(), 4u);
  EXPECT_GT(words_in("en").size(), 500u);
  EXPECT_TRUE(strangers_in("voci e punti, with their points", "it").contains("with"));
  for (const std::string& language : languages()) {
    if (language == "en") continue;
    EXPECT_EQ(strangers_in(all_that_is_told_in(language), language), WordSet()) << language;
  }
}

TEST(Languages, AreNamedByPagesAndKeptByResults) {
  const SubmissionResult result = told_in("sr", "ann");
  EXPECT_NE(format_student_page(result, "").find("<html lang=\"sr\">"), std::string::npos);
  EXPECT_EQ(parse_result(format_json(result))->language, "sr");
}

TEST(Languages, PointARacesArrowsToTheMemoryThatIsWritten) {
  SubmissionResult result = rich_result("ann");
  const std::string english = format_student_page(result, kSource);
  result.language = "it";
  for (CaseFinding& each : result.findings) {
    if (!each.finding.race) continue;
    each.finding.race->first_act = "scrive";
    each.finding.race->second_act = "legge";
    each.finding.arguments = {{"act", "act.writes"}, {"other_act", "act.reads"}};
  }
  const std::string italian = format_student_page(result, kSource), arrow = "class=\"access\" d=\"";
  const auto first_arrow = [&](const std::string& page) {
    return page.substr(page.find(arrow), 60);
  };
  EXPECT_EQ(first_arrow(italian), first_arrow(english));
}

}  // namespace
}  // namespace warpgrade
