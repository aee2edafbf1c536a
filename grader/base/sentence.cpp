// SPDX-License-Identifier: MIT
#include "base/sentence.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Which of two or three forms of its noun a number takes (Unicode CLDR 44, plural rules, "cardinal").
size_t form_of(const std::string& number, size_t forms) {
  if (forms == 2) return number == "1" ? 0 : 1;
  const bool is_whole =
      !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  if (!is_whole) return 1;
  const char last = number.back();
  const bool is_teen = number.size() > 1 && number[number.size() - 2] == '1';
  if (last == '1' && !is_teen) return 0;
  return last >= '2' && last <= '4' && !is_teen ? 1 : 2;
}

/// The text for one place: "{count}", or "{count:kernel|kernels}" with its noun.
std::string filled(std::string_view place, const std::string& text) {
  const size_t colon = place.find(':');
  if (colon == std::string_view::npos) return text;
  const std::vector<std::string> nouns = split(place.substr(colon + 1), '|');
  if (nouns.size() != 2 && nouns.size() != 3)
    throw std::invalid_argument("a place with a noun wants two or three forms: " +
                                std::string(place));
  return text + ' ' + nouns[form_of(text, nouns.size())];
}

}  // namespace

std::string Sentence::key() const {
  std::vector<std::string> parts;
  for (const auto& [name, text_of_place] : args) parts.push_back(name + '=' + text_of_place);
  return parts.empty() ? id : id + '(' + join(parts, ", ") + ')';
}

std::ostream& operator<<(std::ostream& out, const Sentence& sentence) {
  return out << sentence.key();
}

std::vector<std::string> ids_of(const Sentence& sentence) {
  std::vector<std::string> ids;
  const std::string key = sentence.key();
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '.'; };
  for (size_t begin = 0; begin < key.size();) {
    const size_t end = static_cast<size_t>(
        std::find_if_not(key.begin() + static_cast<long>(begin), key.end(), is_letter) -
        key.begin());
    const std::string word = key.substr(begin, end - begin);
    const bool is_filling =
        begin == 0 || key[begin - 1] == '=' || key.substr(0, begin).ends_with("; ");
    const bool is_whole =
        end == key.size() || std::string_view("(),;").find(key[end]) != std::string_view::npos;
    const size_t dot = word.find('.');
    const bool has_dot = dot != std::string::npos && dot > 0 && dot + 1 < word.size();
    if (is_filling && is_whole && (has_dot || begin == 0)) ids.push_back(word);
    begin = end + 1;
  }
  return ids;
}

Filling listed(std::string place, const std::vector<Sentence>& sentences,
               std::string_view separator) {
  Filling filling(std::move(place), "");
  for (const Sentence& each : sentences) {
    const bool is_first = &each == &sentences.front();
    filling.text += (is_first ? "" : std::string(separator)) + each.text;
    filling.kept += (is_first ? "" : "; ") + each.key();
  }
  return filling;
}

Catalogue::Catalogue(std::string_view lines) {
  for (const std::string& line : split(lines, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos)
      throw std::invalid_argument("a line of the catalogue is no 'id: text': " + line);
    if (!texts_.emplace(line.substr(0, colon), line.substr(colon + 2)).second)
      throw std::invalid_argument("a sentence stands twice in the catalogue: " + line);
  }
}

Sentence Catalogue::say(const std::string& id, std::initializer_list<Filling> fillings) const {
  const auto found = texts_.find(id);
  if (found == texts_.end()) throw std::invalid_argument("the catalogue has no sentence " + id);
  Sentence sentence{id, {}, {}};
  std::map<std::string, std::string> texts;
  for (const Filling& filling : fillings) {
    sentence.args[filling.name] = filling.kept;
    texts[filling.name] = filling.text;
  }
  std::set<std::string> used;
  std::string_view rest = found->second;
  for (size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const size_t close = rest.find('}', open);
    const std::string_view place = rest.substr(open + 1, close - open - 1);
    const std::string name(place.substr(0, place.find(':')));
    const auto filling = texts.find(name);
    if (filling == texts.end())
      throw std::invalid_argument(id + " has a place without a filling: " + name);
    sentence.text += rest.substr(0, open);
    sentence.text += filled(place, filling->second);
    used.insert(name);
    rest.remove_prefix(close + 1);
  }
  sentence.text += rest;
  if (used.size() != sentence.args.size())
    throw std::invalid_argument(id + " has a filling without a place");
  return sentence;
}

std::string_view Catalogue::find(std::string_view id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? std::string_view() : std::string_view(found->second);
}

Languages::Languages(const char* const* codes_and_lines) {
  for (; *codes_and_lines != nullptr; codes_and_lines += 2)
    all_.emplace_back(codes_and_lines[0], Catalogue(codes_and_lines[1]));
  spoken_ = &all_.front();
}

std::vector<std::string> Languages::codes() const {
  std::vector<std::string> codes;
  for (const auto& [code, catalogue] : all_) codes.push_back(code);
  return codes;
}

const Languages::Language* Languages::find(std::string_view code) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.first == code; });
  return found == all_.end() ? nullptr : &*found;
}

bool Languages::speak(std::string_view code) {
  const Language* const found = find(code);
  if (found != nullptr) spoken_ = found;
  return found != nullptr;
}

const Catalogue& Languages::catalogue(std::string_view code) const {
  const Language* const found = find(code);
  return found == nullptr ? all_.front().second : found->second;
}

}  // namespace warpgrade
