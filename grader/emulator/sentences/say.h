// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/sentence.h"

namespace warpgrade::emulator {

/// The languages that there is a catalogue of: "en", "it", ...
std::vector<std::string> languages();
/// Which language say() speaks from now on; false where there is no such catalogue. Called before any
/// thread is started.
bool speak(std::string_view language);

/// A sentence of the device's own catalogue, sentences/en.txt, or of its translation. Its places must
/// be filled exactly: see Catalogue::say.
Sentence say(const std::string& id, std::initializer_list<Filling> fillings = {});

/// The checker whose finding the sentence is: what its id begins with.
std::string checker_of(const Sentence& sentence);

/// The whole catalogue.
const Catalogue& catalogue();

}  // namespace warpgrade::emulator
