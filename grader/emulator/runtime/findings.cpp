// SPDX-License-Identifier: MIT
#include "emulator/runtime/findings.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"

namespace warpgrade::emulator {
namespace {

std::vector<std::string> place_of(const Finding& finding) {
  std::vector<std::string> place;
  if (!finding.kernel.empty()) place.push_back("kernel " + demangled(finding.kernel));
  if (!finding.file.empty()) place.push_back(fmt::format("{}:{}", finding.file, finding.line));
  return place;
}

std::string with_place(const std::string& words, const std::vector<std::string>& place) {
  return place.empty() ? words : words + " [" + join(place, ", ") + "]";
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string in_words(const Finding& finding) {
  std::vector<std::string> place = place_of(finding);
  if (!finding.kernel.empty()) {
    place.push_back("block " + text_of(finding.block));
    place.push_back("thread " + text_of(finding.thread));
  }
  if (finding.count > 1) place.push_back(fmt::format("{} times", finding.count));
  return with_place(finding.checker + ": " + finding.message, place);
}

std::string kind_in_words(const Finding& finding) {
  constexpr std::string_view kLine = "line ";
  std::string message;
  bool in_line = false;
  for (const char c : finding.message) {
    const bool digit = c >= '0' && c <= '9';
    in_line = message.ends_with(kLine) || (in_line && digit);
    if (!digit || in_line)
      message += c;
    else if (!message.ends_with('#'))
      message += '#';
  }
  return with_place(finding.checker + ": " + message, place_of(finding));
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
               {"message", finding.message},
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
