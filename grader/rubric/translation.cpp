// SPDX-License-Identifier: MIT
#include "rubric/translation.h"

#include <fmt/format.h>

#include <algorithm>
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
      errors.add(item.keys[i].place,
                 fmt::format("unknown key '{}' in '{}'; it takes title, hint", key, id.text));
    }
  }
}

void check_root(const Yaml& root, Diagnostics& errors) {
  if (root.kind != Kind::kMap) return errors.add(root.place, "a translation takes title and items");
  for (size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i].text;
    const Yaml& value = root.elements[i];
    if (key == "title") {
      check_text(value, "'title'", errors);
    } else if (key != "items") {
      errors.add(root.keys[i].place,
                 fmt::format("unknown key '{}' in a translation; it takes title, items", key));
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
  Yaml root = parse_yaml(text, errors);
  if (errors.empty()) check_root(root, errors);
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
}

std::vector<std::string> gaps_in(const Translation& translation, std::string_view rubric) {
  std::vector<std::string> gaps, ids;
  Diagnostics none("", rubric);
  Yaml own = parse_yaml(rubric, none), other = translation.root;
  if (other.find("title") == nullptr) gaps.push_back("the assignment has no title");
  each_item(own, other, [&](Yaml& item, Yaml* its, const std::string& id) {
    ids.push_back(id);
    if (its == nullptr || its->find("title") == nullptr)
      return gaps.push_back(fmt::format("item {} has no title", id));
    const size_t hints = texts_of(item.find("hint")).size(),
                 translated = texts_of(its->find("hint")).size();
    if (hints != translated)
      gaps.push_back(fmt::format("item {} has {}, and {} in the rubric", id,
                                 counted(static_cast<long>(translated), "hint"), hints));
  });
  const Yaml* const items = other.find("items");
  for (const Yaml& id : items == nullptr ? std::vector<Yaml>() : items->keys) {
    if (std::find(ids.begin(), ids.end(), id.text) == ids.end())
      gaps.push_back(fmt::format("the rubric has no item {}", id.text));
  }
  return gaps;
}

}  // namespace warpgrade
