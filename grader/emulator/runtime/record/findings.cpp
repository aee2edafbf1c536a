// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/findings.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

std::vector<std::string> place_of(const Finding& finding) {
  std::vector<std::string> place;
  if (!finding.kernel.empty()) place.push_back("kernel " + brief_kernel(demangled(finding.kernel)));
  if (!finding.file.empty()) place.push_back(fmt::format("{}:{}", finding.file, finding.line));
  return place;
}

std::string with_place(const std::string& words, const std::vector<std::string>& place) {
  return place.empty() ? words : words + " [" + join(place, ", ") + "]";
}

}  // namespace

std::string demangled(const std::string& name) {
  // What nvcc makes of a static function's name under -rdc=true.
  if (const size_t own = name.find("_Z"); name.starts_with("__nv_static_") && own != name.npos)
    return demangled(name.substr(own));
  if (!name.starts_with("_Z")) return name;  // a type by the demangler's rules: "f" is float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string brief_kernel(const std::string& demangled_name) {
  constexpr size_t kLongest = 160;
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  if (demangled_name.size() <= kLongest) return demangled_name;
  std::string brief;
  int depth = 0;
  for (std::string_view rest = demangled_name; !rest.empty(); rest.remove_prefix(1)) {
    if (depth == 0 && rest.starts_with(kUnnamed)) {
      brief += kUnnamed;
      rest.remove_prefix(kUnnamed.size() - 1);
      continue;
    }
    if (rest.front() == '(' && depth == 0) return brief + "(...)";
    if (rest.front() == '<' && depth++ == 0) brief += "<...";
    if (rest.front() == '>') --depth;
    if (depth == 0) brief += rest.front();
  }
  return brief;
}

std::string in_words(const Finding& finding) {
  std::vector<std::string> place = place_of(finding);
  if (!finding.kernel.empty()) {
    place.push_back("block " + text_of(finding.block));
    place.push_back("thread " + text_of(finding.thread));
  }
  if (finding.count > 1) place.push_back(fmt::format("{} times", finding.count));
  return with_place(finding.checker + ": " + finding.message.text, place);
}

std::string without_thread(const Finding& finding) {
  return with_place(finding.checker + ": " + finding.message.text, place_of(finding));
}

std::string kind_of(const Finding& finding) {
  const auto has_digit = [](const std::string& text) {
    return text.find_first_of("0123456789") != std::string::npos;
  };
  Sentence kind{finding.message.id, {}, {}};
  for (const auto& [name, value] : finding.message.args) {
    if (!has_digit(value)) kind.args.emplace(name, value);
  }
  return fmt::format("{} {} {}:{} {}", kind.key(), finding.kernel, finding.file, finding.line,
                     finding.other_line);
}

std::vector<Finding> told_of(const std::vector<Finding>& findings) {
  constexpr size_t kMostOfChecker = 100;
  std::map<std::string, size_t> seen;
  std::vector<Finding> told;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(told),
               [&](const Finding& each) { return ++seen[each.checker] <= kMostOfChecker; });
  return told;
}

Finding finding_of(Sentence message) {
  Finding finding;
  finding.checker = checker_of(message);
  finding.message = std::move(message);
  return finding;
}

std::string text_of(const Dim3& value) {
  return fmt::format("({},{},{})", value.x, value.y, value.z);
}

Json to_json(const Dim3& shape) { return Json::array({shape.x, shape.y, shape.z}); }

Json to_json(const std::vector<PipeTime>& pipes) {
  Json list = Json::array();
  for (const PipeTime& pipe : pipes) {
    if (list.size() == 3) break;
    list.push_back({{"name", pipe.name}, {"description", pipe.description}, {"ms", pipe.ms}});
  }
  return list;
}

Json to_json(const std::map<std::string, double>& metrics) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  Json object = Json::object();
  for (const auto& [name, value] : metrics) {
    const bool whole = value == std::floor(value) && std::abs(value) <= kMaxExact;
    object[name] = whole ? Json(static_cast<int64_t>(value)) : Json(value);
  }
  return object;
}

Json to_json(const Finding& finding) {
  Json json = {{"checker", finding.checker},
               {"id", finding.message.id},
               {"arguments", finding.message.args},
               {"message", finding.message.text},
               {"kernel", demangled(finding.kernel)},
               {"file", finding.file},
               {"line", finding.line},
               {"block", to_json(finding.block)},
               {"thread", to_json(finding.thread)},
               {"count", finding.count}};
  if (!finding.race) return json;
  const RaceAccesses& race = *finding.race;
  json["race"] = {{"object", race.object},           {"first_act", race.first_act},
                  {"second", race.second},           {"second_act", race.second_act},
                  {"second_file", race.second_file}, {"second_line", race.second_line},
                  {"missing", race.missing}};
  return json;
}

}  // namespace warpgrade::emulator
