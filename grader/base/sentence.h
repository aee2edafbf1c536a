// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade {

/// A sentence of a catalogue, or a few that belong together: its id and arguments, which tests and
/// programs read, and the text for people. Empty where there is nothing to say.
struct Sentence {
  std::string id = {};
  std::map<std::string, std::string> args = {};
  std::string text = {};

  bool empty() const { return id.empty(); }
  /// "block.shape(axis=x, kernel=f)": the id, and the arguments in the order of their names.
  std::string key() const;
  bool operator==(const Sentence&) const = default;
  /// Whether this is the sentence's key; an empty one for nothing to say.
  bool operator==(std::string_view wanted_key) const { return key() == wanted_key; }
};

std::ostream& operator<<(std::ostream& out, const Sentence& sentence);

/// The sentence's id, and those of the sentences that fill its places.
std::vector<std::string> ids_of(const Sentence& sentence);

/// What fills one place of a sentence: the place's name, the text for people, and what the sentence
/// keeps as its argument. A sentence within a sentence is kept by its key.
struct Filling {
  std::string name;
  std::string text;
  std::string kept;

  Filling(std::string place, std::string filling)
      : name(std::move(place)), text(std::move(filling)), kept(text) {}
  Filling(std::string place, const char* filling)
      : Filling(std::move(place), std::string(filling)) {}
  Filling(std::string place, std::integral auto number)
      : Filling(std::move(place), std::to_string(number)) {}
  Filling(std::string place, const Sentence& sentence)
      : name(std::move(place)), text(sentence.text), kept(sentence.key()) {}
};

/// Fills a place with several sentences one after another, `separator` between.
Filling listed(std::string place, const std::vector<Sentence>& sentences,
               std::string_view separator);

/// The sentences of one language. A line is "id: text"; `{name}` in the text is a place, and
/// `{name:one|many}` a number with its noun, `{name:one|few|many}` in languages that count as Russian
/// and Serbian do (Unicode CLDR, plural rules). Lines that begin with '#' are comments.
class Catalogue {
 public:
  /// Throws std::invalid_argument where a line is no such line or an id stands twice.
  explicit Catalogue(std::string_view lines);

  /// Throws std::invalid_argument where there is no such sentence, or where its places and the
  /// fillings are not the same.
  Sentence say(const std::string& id, std::initializer_list<Filling> fillings = {}) const;

  /// The text of a sentence without places; empty where there is no such sentence.
  std::string_view find(std::string_view id) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return texts_; }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// A catalogue in several languages, of which one is spoken: English at first.
class Languages {
 public:
  /// Pairs of a language's code and the lines of its catalogue, English first, then a null pointer.
  explicit Languages(const char* const* codes_and_lines);

  std::vector<std::string> codes() const;
  /// From now on; false where there is no such language. No other thread may say anything meanwhile.
  bool speak(std::string_view code);
  const std::string& spoken() const { return spoken_->first; }
  const Catalogue& catalogue() const { return spoken_->second; }
  /// The language's own; English where there is no such language.
  const Catalogue& catalogue(std::string_view code) const;

 private:
  using Language = std::pair<std::string, Catalogue>;
  const Language* find(std::string_view code) const;

  std::vector<Language> all_;
  const Language* spoken_;
};

}  // namespace warpgrade
