// SPDX-License-Identifier: MIT
#include "intake/downloads/gradescope_list.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kMostLevels = 64;

/// Thrown out of yaml-cpp's parser, which recurses for each level of the text.
struct TooDeep {
  int line;
};

/// "2026-10-05 21:58:11.123456000 Z", as Ruby writes a time.
std::optional<Moment> parse_time(const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return Moment::parse(text);
  const size_t blank = text.find_first_not_of("0123456789", dot + 1);
  return Moment::parse(text.substr(0, dot) +
                       (blank == std::string::npos ? "" : text.substr(blank)));
}

/// Follows yaml-cpp's events and keeps submitters and times. Ruby writes its symbols as ":name".
class ListReader final : public YAML::EventHandler {
 public:
  std::vector<GradescopeSubmission> submissions;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { take(""); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { take(""); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    take(value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    if (levels_.size() == 1 && levels_[0].is_map) submissions.push_back({levels_[0].key, {}});
    open(mark, true);
    if (is_in_person()) submissions.back().people.emplace_back();
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map = false;
    bool has_key = false;
    std::string key = {};
  };

  void open(const YAML::Mark& mark, bool is_map) {
    if (levels_.size() == kMostLevels) throw TooDeep{mark.line + 1};
    levels_.push_back({is_map});
  }

  void close() {
    levels_.pop_back();
    end_value();
  }

  void end_value() {
    if (!levels_.empty() && levels_.back().is_map) levels_.back().has_key = !levels_.back().has_key;
  }

  void take(const std::string& text) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.is_map && !level.has_key)
      level.key = text.starts_with(':') ? text.substr(1) : text;
    else if (level.is_map)
      take_value(level.key, text);
    end_value();
  }

  bool is_in_person() const {
    return levels_.size() == 4 && levels_[1].is_map && levels_[1].key == "submitters" &&
           levels_[3].is_map && !submissions.empty();
  }

  void take_value(const std::string& key, const std::string& text) {
    if (levels_.size() == 2 && key == "created_at" && !submissions.empty())
      submissions.back().submitted = parse_time(text);
    if (!is_in_person()) return;
    GradescopePerson& person = submissions.back().people.back();
    if (key == "name") person.name = trim(text);
    if (key == "sid") person.sid = trim(text);
    if (key == "email") person.email = trim(text);
  }

  std::vector<Level> levels_;
};

}  // namespace

Result<std::vector<GradescopeSubmission>> parse_gradescope_list(std::string_view yaml,
                                                                std::string_view name) {
  std::istringstream text{std::string(yaml)};
  ListReader reader;
  try {
    YAML::Parser parser(text);
    parser.HandleNextDocument(reader);
  } catch (const TooDeep& deep) {
    return Error{fmt::format("{}:{}: the values are nested too deeply", name, deep.line)};
  } catch (const YAML::Exception& damage) {
    return Error{fmt::format("{}:{}: the list is no YAML ({}); export the submissions again", name,
                             damage.mark.line + 1, printable(damage.msg))};
  }
  if (reader.submissions.empty())
    return Error{
        fmt::format("{}:1: the list names no submission; export the submissions again", name)};
  return std::move(reader.submissions);
}

}  // namespace warpgrade
