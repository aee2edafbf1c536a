// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "cudart/lines/dwarf.h"
#include "cudart/lines/forms.h"

namespace warpgrade::cudart {

/// A line number program. DWARF 5, section 6.2.
class LineProgram {
 public:
  LineProgram(const Sections& sections, uint64_t offset);

  /// The place of the code at an address, as linked.
  SourcePlace at(uint64_t address) const;
  /// A place in the file with that number.
  SourcePlace file(uint64_t number, uint32_t line) const;

 private:
  struct Row {
    uint64_t address = 0, file = 1;
    uint32_t line = 1;
  };
  /// Runs an extended operation. True where it ends a sequence.
  static bool extend(Cursor& program, Row& row);
  SourcePlace file_of_version_5(uint64_t number, uint32_t line) const;
  SourcePlace file_of_older(uint64_t number, uint32_t line) const;
  std::string_view take_name(Cursor& cursor, uint64_t form) const;

  const Sections& sections_;
  uint16_t version_ = 0;
  uint8_t least_step_ = 1, line_range_ = 0, opcode_base_ = 0;
  int8_t line_base_ = 0;
  std::array<uint8_t, 256> lengths_{};
  Cursor program_, files_;
  bool is_read_ = false;
};

}  // namespace warpgrade::cudart
