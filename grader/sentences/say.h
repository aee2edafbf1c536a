// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/sentence.h"

namespace warpgrade {

/// The languages that there is a catalogue of: "en", "it", ...
std::vector<std::string> languages();
/// Which of them say() speaks from now on; false where there is no such language. Called before any
/// thread is started.
bool speak(std::string_view language);
const std::string& spoken_language();

/// A sentence of sentences/en.txt, or of its translation. Its places must be filled exactly: see
/// Catalogue::say.
Sentence say(const std::string& id, std::initializer_list<Filling> fillings = {});

/// The same in another language than the spoken one; in English where there is no such language.
Sentence say_in(std::string_view language, const std::string& id,
                std::initializer_list<Filling> fillings = {});

bool has_sentence(std::string_view id);

/// What a student may read of the sentence in a hidden case: its kind, and no word of its arguments.
/// Empty where the sentence has no such form.
Sentence hidden_form(const Sentence& sentence);

/// Fills the place "counter" with a counter in words and its name: "sectors of 32 bytes ...
/// (sectors_per_global_load)". The sentence keeps the name.
Filling counter(const std::string& name);

}  // namespace warpgrade
