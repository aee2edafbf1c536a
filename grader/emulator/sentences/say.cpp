// SPDX-License-Identifier: MIT
#include "emulator/sentences/say.h"

namespace warpgrade {

/// The text of en.txt, which the build makes into a source file.
extern const char kDevicesEnglish[];

namespace emulator {

const Catalogue& catalogue() {
  static const Catalogue catalogue(kDevicesEnglish);
  return catalogue;
}

Sentence say(const std::string& id, std::initializer_list<Filling> fillings) {
  return catalogue().say(id, fillings);
}

std::string checker_of(const Sentence& sentence) {
  return sentence.id.substr(0, sentence.id.find('.'));
}

}  // namespace emulator
}  // namespace warpgrade
