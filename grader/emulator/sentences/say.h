// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>

#include "base/sentence.h"

namespace warpgrade::emulator {

/// A sentence of the device's own catalogue, sentences/en.txt. Its places must be filled exactly: see Catalogue::say.
Sentence say(const std::string& id, std::initializer_list<Filling> fillings = {});

/// The checker whose finding the sentence is: what its id begins with.
std::string checker_of(const Sentence& sentence);

/// The whole catalogue.
const Catalogue& catalogue();

}  // namespace warpgrade::emulator
