// SPDX-License-Identifier: MIT
#include "report/passage.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kAround = 2;
/// Students whose sources are searched; a group has the same mistake.
constexpr size_t kMostTried = 5;

using Lines = std::vector<std::string>;

struct Suspect {
  const SubmissionResult& result;
  const ItemResult& item;  ///< The group's first item as the grader judged it.
  const ItemFault& fault;
  const Lines& lines;

  bool is_case(const std::string& id) const { return fault.case_id.empty() || fault.case_id == id; }
};

size_t within(size_t line, const Lines& lines) { return line <= lines.size() ? line : 0; }

/// "matmul.cu:50" in the reason; the driver's lines are not the student's.
size_t named_line(const Suspect& suspect) {
  static const std::regex place_pattern(R"(([\w.-]+)\.cu:(\d{1,6}))");
  const std::string& message = suspect.item.message;
  for (std::sregex_iterator at(message.begin(), message.end(), place_pattern), end; at != end;
       ++at) {
    if ((*at)[1] != "driver") return within(std::stoul((*at)[2]), suspect.lines);
  }
  return 0;
}

size_t line_of_finding(const Suspect& suspect) {
  for (const CaseFinding& each : suspect.result.findings) {
    const std::filesystem::path file = each.finding.file;
    const bool is_students = file.extension() == ".cu" && file.filename() != "driver.cu";
    if (is_students && each.finding.line > 0 && suspect.is_case(each.case_id))
      return within(static_cast<size_t>(each.finding.line), suspect.lines);
  }
  return 0;
}

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// "multiply" of "void course::multiply<float>(float const*)".
std::string plain_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find_first_of("(<"));
  const auto begin = std::find_if_not(name.rbegin(), name.rend(), is_part_of_word).base();
  return {begin, name.end()};
}

bool has_word(const std::string& line, const std::string& word) {
  for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_word(line[at - 1]);
    if (begins && (end == line.size() || !is_part_of_word(line[end]))) return true;
  }
  return false;
}

/// Where the source defines the kernel: `__global__` stands on that line or shortly before it.
size_t line_of_kernel(const Suspect& suspect) {
  for (const KernelRow& row : suspect.result.kernels) {
    const std::string name = plain_name(row.name);
    if (name.empty() || !suspect.is_case(row.case_id)) continue;
    for (size_t i = 0; i < suspect.lines.size(); ++i) {
      const auto end = suspect.lines.begin() + static_cast<long>(i) + 1;
      const auto begin = end - static_cast<long>(std::min<size_t>(i + 1, kAround + 1));
      const bool is_kernel = std::any_of(
          begin, end, [](const std::string& line) { return has_word(line, "__global__"); });
      if (is_kernel && has_word(suspect.lines[i], name)) return i + 1;
    }
  }
  return 0;
}

Passage around(size_t student, size_t line, const Lines& lines) {
  const size_t first = line > kAround ? line - kAround : 1;
  const size_t last = std::min(line + kAround, lines.size());
  return {student,
          line,
          first,
          {lines.begin() + static_cast<long>(first) - 1, lines.begin() + static_cast<long>(last)}};
}

}  // namespace

std::vector<std::string> source_lines(std::string_view source) {
  std::vector<std::string> lines = split(source, '\n');
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

std::optional<Passage> representative_passage(const std::vector<SubmissionResult>& results,
                                              const FailureGroup& group,
                                              const SourceOf& source_of) {
  if (!source_of || group.items.empty()) return std::nullopt;
  const size_t tried = std::min(group.students.size(), kMostTried);
  std::vector<Lines> sources;
  for (size_t i = 0; i < tried; ++i)
    sources.push_back(source_lines(source_of(results[group.students[i]])));
  for (const auto find_line : {named_line, line_of_finding, line_of_kernel}) {
    for (size_t i = 0; i < tried; ++i) {
      const SubmissionResult& result = results[group.students[i]];
      const auto item =
          std::find_if(result.items.begin(), result.items.end(),
                       [&](const auto& each) { return each.id == group.items.front(); });
      if (item == result.items.end()) continue;
      const size_t line = find_line({result, judged_item(result, *item), group.fault, sources[i]});
      if (line != 0) return around(group.students[i], line, sources[i]);
    }
  }
  return std::nullopt;
}

}  // namespace warpgrade
