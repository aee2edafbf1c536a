// SPDX-License-Identifier: MIT
#include "sentences/say.h"

#include "sentences/ids.h"

namespace warpgrade {

/// The texts of this folder, which the build makes into a source file.
extern const char* const kCatalogues[];

namespace {

Languages& all_languages() {
  static Languages all(kCatalogues);
  return all;
}

const Catalogue& catalogue() { return all_languages().catalogue(); }

}  // namespace

std::vector<std::string> languages() { return all_languages().codes(); }

bool speak(std::string_view language) { return all_languages().speak(language); }

const std::string& spoken_language() { return all_languages().spoken(); }

Sentence say(const std::string& id, std::initializer_list<Filling> fillings) {
  return catalogue().say(id, fillings);
}

Sentence say_in(std::string_view language, const std::string& id,
                std::initializer_list<Filling> fillings) {
  return all_languages().catalogue(language).say(id, fillings);
}

bool has_sentence(std::string_view id) { return catalogue().all().contains(id); }

std::vector<std::string> sentence_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, text] : catalogue().all()) {
    if (id.find('@') == std::string::npos) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> evidence_ids() {
  std::vector<std::string> ids = sentence_ids();
  std::erase_if(ids,
                [](const std::string& id) { return catalogue().find(id + "@hidden").empty(); });
  return ids;
}

Sentence hidden_form(const Sentence& sentence) {
  const std::string id = sentence.id + "@hidden";
  const std::string_view text = catalogue().find(id);
  return text.empty() ? Sentence() : Sentence{id, {}, std::string(text)};
}

Filling counter(const std::string& name) {
  const std::string_view words = catalogue().find("words." + name);
  Filling filling("counter", name);
  if (!words.empty()) filling.text = words;
  return filling;
}

}  // namespace warpgrade
