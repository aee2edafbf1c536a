// SPDX-License-Identifier: MIT
// usage: dwarf_places FILE ADDRESS...    a line for each address: its places by dwarf.h, as addr2line -i names them
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "cudart/lines/dwarf.h"

int main(int count, char** arguments) {
  using namespace warpgrade::cudart;
  if (count < 2) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::span<const std::byte> elf = std::as_bytes(std::span(text));
  for (int i = 2; i < count; ++i) {
    SourcePlace places[kMostPlaces];
    const size_t found = places_of(elf, std::strtoull(arguments[i], nullptr, 16), places);
    for (size_t k = 0; k < found; ++k) {
      const std::string name(places[k].name);
      std::printf("%s%s:%u", k == 0 ? "" : " ", name.substr(name.rfind('/') + 1).c_str(),
                  places[k].line);
    }
    std::puts("");
  }
  return 0;
}
