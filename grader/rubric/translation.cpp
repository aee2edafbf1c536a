// SPDX-License-Identifier: MIT
#include "rubric/translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"

namespace warpgrade {
namespace {

using Kind = Yaml::Kind;

/// A text, or in a list of hints its texts.
std::vector<Yaml*> texts_of(Yaml* value) {
  if (value == nullptr) return {};
  if (value->kind != Kind::kList) return {value};
  std::vector<Yaml*> texts;
  for (Yaml& each : value->elements) {
    Yaml* const text = each.kind == Kind::kMap ? each.find("text") : &each;
    if (text != nullptr) texts.push_back(text);
  }
  return texts;
}

void check_text(const Yaml& value, std::string_view what, Diagnostics& errors) {
  if (value.kind != Kind::kScalar || trim(value.text).empty())
    errors.add(value.place, fmt::format("{} is a text", what));
}

void check_hints(const Yaml& value, Diagnostics& errors) {
  if (value.kind != Kind::kList) return check_text(value, "'hint'", errors);
  for (const Yaml& each : value.elements) check_text(each, "each hint", errors);
}

/// Reports a key that `subject` does not take.
void refuse(const Yaml& key, const std::string& subject, const std::vector<std::string>& known,
            Diagnostics& errors) {
  const std::string meant = nearest(key.text, known);
  errors.add(key.place, fmt::format("unknown key '{}' in {}; {}", key.text, subject,
                                    meant.empty() ? "it takes " + join(known, ", ")
                                                  : fmt::format("did you mean '{}'?", meant)));
}

void check_item(const Yaml& id, const Yaml& item, Diagnostics& errors) {
  if (item.kind != Kind::kMap)
    return errors.add(item.place, fmt::format("'{}' takes title and hint", id.text));
  for (size_t i = 0; i < item.keys.size(); ++i) {
    const std::string& key = item.keys[i].text;
    if (key == "title") {
      check_text(item.elements[i], "'title'", errors);
    } else if (key == "hint") {
      check_hints(item.elements[i], errors);
    } else {
      refuse(item.keys[i], "'" + id.text + "'", {"title", "hint"}, errors);
    }
  }
}

void check_words(const Yaml& words, Diagnostics& errors) {
  if (words.kind != Kind::kMap)
    return errors.add(
        words.place,
        "'words' is a map from texts of 'elements' and 'values' to their translations");
  for (const Yaml& each : words.elements) check_text(each, "each translation", errors);
}

void check_root(const Yaml& root, Diagnostics& errors) {
  if (root.kind != Kind::kMap)
    return errors.add(root.place, "a translation takes title, items and words");
  for (size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i].text;
    const Yaml& value = root.elements[i];
    if (key == "title") {
      check_text(value, "'title'", errors);
    } else if (key == "words") {
      check_words(value, errors);
    } else if (key != "items") {
      refuse(root.keys[i], "a translation", {"title", "items", "words"}, errors);
    } else if (value.kind != Kind::kMap) {
      errors.add(value.place, "'items' is a map from ids of items to their title and hint");
    } else {
      for (size_t k = 0; k < value.keys.size(); ++k)
        check_item(value.keys[k], value.elements[k], errors);
    }
  }
}

/// Calls visit(item of the rubric, its translation or null).
template <class Visit>
void each_item(Yaml& rubric, Yaml& translation, Visit visit) {
  Yaml* const items = rubric.find("items");
  Yaml* const others = translation.find("items");
  if (items == nullptr) return;
  for (Yaml& item : items->elements) {
    const Yaml* const id = item.find("id");
    if (id != nullptr) visit(item, others == nullptr ? nullptr : others->find(id->text), id->text);
  }
}

void replace(Yaml* into, const Yaml* from) {
  if (into == nullptr || from == nullptr) return;
  into->text = from->text;
  into->quoted = true;
}

/// Calls visit(text) for each text that says what an output's element is, or what its number stands for.
template <class Visit>
void each_word(Yaml& rubric, Visit visit) {
  Yaml nothing;
  each_item(rubric, nothing, [&](Yaml& item, Yaml*, const std::string&) {
    Yaml* const outputs = item.find("outputs");
    if (outputs == nullptr) return;
    for (Yaml& output : outputs->elements) {
      for (const char* key : {"elements", "values"}) {
        Yaml* const texts = output.find(key);
        if (texts == nullptr) continue;
        for (Yaml& text : texts->elements) visit(text);
      }
    }
  });
}

/// Where the translation names the item; where it does not, where its items are, or its beginning.
Place place_of(const Yaml& translation, std::string_view id) {
  const Yaml* const items = translation.find("items");
  if (items == nullptr) return {};
  for (const Yaml& key : items->keys) {
    if (key.text == id) return key.place;
  }
  return items->place;
}

Yaml parse(std::string_view text, Diagnostics& errors) {
  Yaml root = parse_yaml(text, errors);
  if (errors.empty()) check_root(root, errors);
  return root;
}

/// The ids of the rubric's items.
std::vector<std::string> ids_in(Yaml& rubric) {
  std::vector<std::string> ids;
  Yaml nothing;
  each_item(rubric, nothing, [&](Yaml&, Yaml*, const std::string& id) { ids.push_back(id); });
  return ids;
}

/// Reports the translation's words that the rubric does not have.
void add_strange_words(const Yaml& translation, Yaml& rubric, Diagnostics& found) {
  const Yaml* const words = translation.find("words");
  if (words == nullptr) return;
  std::vector<std::string> own;
  each_word(rubric, [&](const Yaml& text) { own.push_back(text.text); });
  for (const Yaml& word : words->keys) {
    if (std::find(own.begin(), own.end(), word.text) != own.end()) continue;
    const std::string meant = nearest(word.text, own);
    found.add(word.place, fmt::format("the rubric has no element and no value '{}'{}", word.text,
                                      meant.empty() ? "; remove this line"
                                                    : fmt::format("; did you mean '{}'?", meant)));
  }
}

/// Reports the translation's items that the rubric does not have.
void add_strangers(const Yaml& translation, Yaml& rubric, Diagnostics& found) {
  const std::vector<std::string> ids = ids_in(rubric);
  const Yaml* const items = translation.find("items");
  for (const Yaml& id : items == nullptr ? std::vector<Yaml>() : items->keys) {
    if (std::find(ids.begin(), ids.end(), id.text) != ids.end()) continue;
    const std::string meant = nearest(id.text, ids);
    found.add(id.place, fmt::format("the rubric has no item '{}'; {}", id.text,
                                    meant.empty() ? "its items are " + join(ids, ", ")
                                                  : fmt::format("did you mean '{}'?", meant)));
  }
}

/// Reports what the translation lacks that the rubric has.
void add_gaps(Yaml& translation, Yaml& rubric, Diagnostics& found) {
  if (translation.find("title") == nullptr)
    found.add({}, "the assignment has no title: write \"title: ...\"");
  each_item(rubric, translation, [&](Yaml& item, Yaml* its, const std::string& id) {
    const Place place = place_of(translation, id);
    if (its == nullptr || its->find("title") == nullptr)
      return found.add(
          place,
          fmt::format("item {0} has no title: write \"{0}: {{title: ...}}\" below items", id));
    const size_t hints = texts_of(item.find("hint")).size(),
                 translated = texts_of(its->find("hint")).size();
    if (hints != translated)
      found.add(place, fmt::format("item {} has {}, and {} in the rubric: write as many, in the "
                                   "rubric's order",
                                   id, counted(static_cast<long>(translated), "hint"), hints));
  });
  const Yaml* const words = translation.find("words");
  std::set<std::string> told;
  each_word(rubric, [&](const Yaml& text) {
    // A word alone may be a name, such as cudaSuccess.
    if (text.text.find(' ') == std::string::npos || !told.insert(text.text).second) return;
    if (words == nullptr || words->find(text.text) == nullptr)
      found.add(
          words == nullptr ? Place{} : words->place,
          fmt::format("'{0}' has no translation: write \"{0}\": \"...\" below words", text.text));
  });
}

}  // namespace

fs::path translation_of(const fs::path& rubric, const std::string& language) {
  return rubric.parent_path().parent_path() / "assignments" / rubric.stem() /
         fmt::format("rubric.{}.yaml", language);
}

Result<std::optional<Translation>> read_translation(const Files& files, const fs::path& rubric,
                                                    const std::string& language) {
  const fs::path path = translation_of(rubric, language);
  if (language.empty() || !files.exists(path)) return std::optional<Translation>();
  Result<std::string> text = files.read(path, kMaxYamlBytes);
  if (!text) return text.error();
  Result<Translation> parsed = parse_translation(std::move(*text), path.string());
  if (!parsed) return parsed.error();
  return std::optional<Translation>(std::move(*parsed));
}

Result<Translation> parse_translation(std::string text, std::string name) {
  Diagnostics errors(name, text);
  Yaml root = parse(text, errors);
  if (!errors.empty()) return Error{errors.format()};
  return Translation{std::move(name), std::move(text), std::move(root)};
}

void translate(Yaml& rubric, const Translation& translation) {
  Yaml other = translation.root;
  replace(rubric.find("title"), other.find("title"));
  each_item(rubric, other, [](Yaml& item, Yaml* its, const std::string&) {
    if (its == nullptr) return;
    replace(item.find("title"), its->find("title"));
    const std::vector<Yaml*> hints = texts_of(item.find("hint")),
                             translated = texts_of(its->find("hint"));
    if (hints.size() != translated.size()) return;
    for (size_t i = 0; i < hints.size(); ++i) replace(hints[i], translated[i]);
  });
  const Yaml* const words = other.find("words");
  if (words == nullptr) return;
  each_word(rubric, [&](Yaml& text) { replace(&text, words->find(text.text)); });
}

std::vector<Mistake> strangers_in(const Translation& translation, std::string_view rubric) {
  Diagnostics none("", rubric), found(translation.name, translation.text);
  Yaml own = parse_yaml(rubric, none);
  add_strangers(translation.root, own, found);
  add_strange_words(translation.root, own, found);
  return found.mistakes();
}

std::vector<Mistake> gaps_in(const Translation& translation, std::string_view rubric) {
  Diagnostics none("", rubric), found(translation.name, translation.text);
  Yaml own = parse_yaml(rubric, none), other = translation.root;
  add_gaps(other, own, found);
  add_strangers(translation.root, own, found);
  add_strange_words(translation.root, own, found);
  return found.mistakes();
}

std::vector<fs::path> translations_of(const Files& files, const fs::path& rubric) {
  const fs::path folder = translation_of(rubric, "en").parent_path();
  std::vector<fs::path> found;
  const Result<std::vector<std::string>> names = files.list(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (translated_rubric(folder / name)) found.push_back(folder / name);
  }
  return found;
}

std::optional<fs::path> translated_rubric(const fs::path& path) {
  const fs::path stem = path.stem();  // rubric.LL
  if (path.extension() != ".yaml" || stem.stem() != "rubric" || !stem.has_extension())
    return std::nullopt;
  const bool is_whole = path.parent_path().parent_path().has_parent_path();
  const fs::path folder = (is_whole ? path : fs::absolute(path)).parent_path();
  return folder.parent_path().parent_path() / "rubrics" / (folder.filename().string() + ".yaml");
}

std::vector<Mistake> lint_translation(const Files& files, const fs::path& path) {
  const Result<std::string> text = files.read(path, kMaxYamlBytes);
  if (!text) return {{path.string(), 1, 1, text.error().message, {}}};
  Diagnostics errors(path.string(), *text);
  Yaml root = parse(*text, errors);
  if (!errors.empty()) return errors.mistakes();
  const std::optional<fs::path> rubric = translated_rubric(path);
  const Result<std::string> own = rubric ? files.read(*rubric, kMaxYamlBytes) : Error{""};
  return own ? strangers_in({path.string(), *text, std::move(root)}, *own) : std::vector<Mistake>();
}

}  // namespace warpgrade
