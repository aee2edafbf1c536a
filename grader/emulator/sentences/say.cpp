// SPDX-License-Identifier: MIT
#include "emulator/sentences/say.h"

namespace warpgrade {

/// The texts of this folder, which the build makes into a source file.
extern const char* const kDevicesCatalogues[];

namespace emulator {
namespace {

Languages& all_languages() {
  static Languages all(kDevicesCatalogues);
  return all;
}

}  // namespace

const Catalogue& catalogue() { return all_languages().catalogue(); }

std::vector<std::string> languages() { return all_languages().codes(); }

bool speak(std::string_view language) { return all_languages().speak(language); }

Sentence say(const std::string& id, std::initializer_list<Filling> fillings) {
  return catalogue().say(id, fillings);
}

std::string checker_of(const Sentence& sentence) {
  return sentence.id.substr(0, sentence.id.find('.'));
}

}  // namespace emulator
}  // namespace warpgrade
