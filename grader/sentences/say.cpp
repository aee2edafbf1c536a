// SPDX-License-Identifier: MIT
#include "sentences/say.h"

#include "sentences/ids.h"

namespace warpgrade {

/// The text of en.txt, which the build makes into a source file.
extern const char kEnglish[];

namespace {

const Catalogue& english() {
  static const Catalogue catalogue(kEnglish);
  return catalogue;
}

}  // namespace

Sentence say(const std::string& id, std::initializer_list<Filling> fillings) {
  return english().say(id, fillings);
}

std::vector<std::string> sentence_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, text] : english().all()) {
    if (id.find('@') == std::string::npos) ids.push_back(id);
  }
  return ids;
}

Sentence hidden_form(const Sentence& sentence) {
  const std::string id = sentence.id + "@hidden";
  const std::string_view text = english().find(id);
  return text.empty() ? Sentence() : Sentence{id, {}, std::string(text)};
}

Filling counter(const std::string& name) {
  const std::string_view words = english().find("words." + name);
  Filling filling("counter", name);
  if (!words.empty()) filling.text = words;
  return filling;
}

}  // namespace warpgrade
