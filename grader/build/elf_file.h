// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// One section of an object or a program.
struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  std::string_view bytes;  ///< Empty where the file holds none.
};

/// A symbol that the file defines.
struct ElfSymbol {
  std::string_view name;
  unsigned char binding = 0;
  unsigned char type = 0;
  uint16_t section = 0;
};

/// A 64-bit little-endian ELF file, safe to open whatever its bytes are. It points into them.
class ElfFile {
 public:
  /// An Error where a header, a section or a name lies outside of the file.
  static Result<ElfFile> open(std::string_view file);

  uint16_t type() const { return type_; }
  uint16_t machine() const { return machine_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The symbols that the file defines for others, and its indirect functions.
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  /// The types of all relocations, each once.
  const std::set<uint32_t>& relocation_types() const { return relocation_types_; }

 private:
  bool read(std::string_view file);
  bool take_name(std::string_view names, uint32_t offset, std::string_view& name);
  bool read_symbols(std::string_view table, std::string_view names);
  bool read_relocations(std::string_view table, size_t entry_bytes);

  uint16_t type_ = 0, machine_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
  std::set<uint32_t> relocation_types_;
  size_t name_bytes_ = 0;  ///< Read so far.
};

}  // namespace warpgrade
