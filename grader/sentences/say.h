// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>

#include "base/sentence.h"

namespace warpgrade {

/// A sentence of sentences/en.txt. Its places must be filled exactly: see Catalogue::say.
Sentence say(const std::string& id, std::initializer_list<Filling> fillings = {});

/// What a student may read of the sentence in a hidden case: its kind, and no word of its arguments.
/// Empty where the sentence has no such form.
Sentence hidden_form(const Sentence& sentence);

/// Fills the place "counter" with a counter in words and its name: "sectors of 32 bytes ...
/// (sectors_per_global_load)". The sentence keeps the name.
Filling counter(const std::string& name);

}  // namespace warpgrade
