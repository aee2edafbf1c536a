// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpgrade::cudart {

/// The line of a source that some code comes from. Its texts point into the bytes of the file. Line 0 stands for an unknown
/// place.
struct SourcePlace {
  std::string_view folder;  ///< as the compiler was given it, or empty
  std::string_view name;    ///< of the file, which may have folders of its own
  uint32_t line = 0;
};

constexpr size_t kMostPlaces = 16;

/// Where sources have the code at an address of an ELF file of 64 bits (as linked, not as loaded), by DWARF 4 or 5,
/// sections 3.3.8, 6.2 and 7: first the code's own place, then, for each inlined function, the place of its call.
/// Gives how many. It allocates nothing, so that signal handlers may call it; what it cannot read has no place.
size_t places_of(std::span<const std::byte> elf, uint64_t address,
                 std::span<SourcePlace, kMostPlaces> places);

}  // namespace warpgrade::cudart
