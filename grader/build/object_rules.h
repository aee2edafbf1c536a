// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "base/sentence.h"
#include "build/elf_file.h"

namespace warpgrade {

/// Why a student's object is not linked: it holds what would run before the driver, redirect the loader, or stay
/// visible to the whole process although its symbols are made local. Empty where it holds nothing of the kind.
Sentence refusal_of(const ElfFile& object);

/// A symbol that the object still shows to others and that is none of `contract`; empty where there is none.
std::string symbol_beyond(const ElfFile& object, const std::set<std::string>& contract);

}  // namespace warpgrade
