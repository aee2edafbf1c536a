// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "rubric/yaml.h"

namespace warpgrade {

/// Where titles, hints and words of a rubric, rubrics/SLUG.yaml, stand in a language:
/// assignments/SLUG/rubric.LL.yaml.
fs::path translation_of(const fs::path& rubric, const std::string& language);

/// A translation's text as it was read, without a mistake.
struct Translation {
  std::string name;  ///< what messages call it
  std::string text;
  Yaml root;
};

/// None where there is no such file. The Error is ready to print.
Result<std::optional<Translation>> read_translation(const Files& files, const fs::path& rubric,
                                                    const std::string& language);

/// Parses `title: text`, `items: {ID: {title: text, hint: text or list of texts}}` and
/// `words: {text of the rubric's elements and values: text}`; `name` stands for it in the Error.
Result<Translation> parse_translation(std::string text, std::string name);

/// Replaces the rubric's titles, hints and words of elements and values by the translation's. What the translation lacks
/// stays, and so do hints of which the translation has another number.
void translate(Yaml& rubric, const Translation& translation);

/// The items and words of the translation that a rubric's text does not have, each at its place.
std::vector<Mistake> strangers_in(const Translation& translation, std::string_view rubric);

/// These, and what the translation lacks beside a rubric's text, which has no mistake: "item edges has no title: ...".
std::vector<Mistake> gaps_in(const Translation& translation, std::string_view rubric);

/// All translations of rubrics/SLUG.yaml that the course has, in any language.
std::vector<fs::path> translations_of(const Files& files, const fs::path& rubric);

/// The rubric that assignments/SLUG/rubric.LL.yaml translates; nothing for a path of another name.
std::optional<fs::path> translated_rubric(const fs::path& path);

/// What is wrong with a translation by itself, and the items and words that the rubric, where it can be read, does not
/// have. What it lacks is no mistake.
std::vector<Mistake> lint_translation(const Files& files, const fs::path& path);

}  // namespace warpgrade
