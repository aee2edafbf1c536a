// SPDX-License-Identifier: MIT
#include "cudart/lines/line_program.h"

#include <utility>

namespace warpgrade::cudart {

LineProgram::LineProgram(const Sections& sections, uint64_t offset) : sections_(sections) {
  Cursor whole(sections.line, offset);
  const auto bytes = whole.take<uint32_t>();
  Cursor cursor(whole.take_part(bytes));
  version_ = cursor.take<uint16_t>();
  if (version_ < 2 || version_ > 5) return;
  if (version_ == 5) {
    cursor.take<uint8_t>();  // size of an address
    cursor.take<uint8_t>();  // size of a segment selector
  }
  const auto header_bytes = cursor.take<uint32_t>();
  program_ = cursor;
  Cursor header(program_.take_part(header_bytes));
  least_step_ = header.take<uint8_t>();
  if (version_ >= 4) header.take<uint8_t>();  // operations an instruction
  header.take<uint8_t>();                     // is a statement by default
  line_base_ = header.take<int8_t>();
  line_range_ = header.take<uint8_t>();
  opcode_base_ = header.take<uint8_t>();
  for (unsigned i = 1; i < opcode_base_; ++i) lengths_[i] = header.take<uint8_t>();
  files_ = header;
  is_read_ = header.ok() && line_range_ != 0;
}

bool LineProgram::extend(Cursor& program, Row& row) {
  enum : uint8_t { kEndSequence = 1, kSetAddress = 2 };
  Cursor operation(program.take_part(program.take_uleb()));
  const auto code = operation.take<uint8_t>();
  if (code == kSetAddress) row.address = operation.take<uint64_t>();
  return code == kEndSequence;
}

SourcePlace LineProgram::at(uint64_t address) const {
  enum : uint8_t {
    kExtended,
    kCopy,
    kAdvancePc,
    kAdvanceLine,
    kSetFile,
    kConstAddPc = 8,
    kFixedAdvancePc
  };
  if (!is_read_) return {};
  Cursor program = program_;
  Row row, last;
  bool is_in_sequence = false;
  const auto is_found = [&] {
    const bool found = is_in_sequence && last.address <= address && address < row.address;
    last = row;
    is_in_sequence = true;
    return found;
  };
  while (program.left() > 0 && program.ok()) {
    const auto code = program.take<uint8_t>();
    Row found = last;
    if (code >= opcode_base_) {
      const unsigned special = code - opcode_base_;
      row.address += uint64_t{special / line_range_} * least_step_;
      row.line += static_cast<uint32_t>(line_base_ + static_cast<int>(special % line_range_));
      if (is_found()) return file(found.file, found.line);
    } else if (code == kExtended) {
      if (!extend(program, row)) continue;
      if (is_found()) return file(found.file, found.line);
      row = {};
      is_in_sequence = false;
    } else if (code == kCopy) {
      if (is_found()) return file(found.file, found.line);
    } else if (code == kAdvancePc) {
      row.address += program.take_uleb() * least_step_;
    } else if (code == kAdvanceLine) {
      row.line += static_cast<uint32_t>(program.take_sleb());
    } else if (code == kSetFile) {
      row.file = program.take_uleb();
    } else if (code == kConstAddPc) {
      row.address += uint64_t{(255U - opcode_base_) / line_range_} * least_step_;
    } else if (code == kFixedAdvancePc) {
      row.address += program.take<uint16_t>();
    } else {
      for (unsigned i = 0; i < lengths_[code]; ++i) program.take_uleb();
    }
  }
  return {};
}

SourcePlace LineProgram::file(uint64_t number, uint32_t line) const {
  if (!is_read_) return {};
  return version_ == 5 ? file_of_version_5(number, line) : file_of_older(number, line);
}

std::string_view LineProgram::take_name(Cursor& cursor, uint64_t form) const {
  if (form == kString) return cursor.take_text();
  const uint64_t offset = take_form(cursor, form, {}, 0);
  if (form == kLineStrp) return Cursor(sections_.line_str, offset).take_text();
  if (form == kStrp) return Cursor(sections_.str, offset).take_text();
  return {};
}

SourcePlace LineProgram::file_of_version_5(uint64_t number, uint32_t line) const {
  enum : uint64_t { kPath = 1, kDirectoryIndex = 2 };
  struct Named {
    std::string_view path;
    uint64_t folder = 0;
  };
  Cursor cursor = files_;
  // A table: the format of its entries, then the entries.
  const auto entry = [&](uint64_t wanted, bool goes_on) {
    std::array<std::pair<uint64_t, uint64_t>, 8> format{};
    const auto fields = cursor.take<uint8_t>();
    for (unsigned i = 0; i < fields; ++i) {
      const uint64_t type = cursor.take_uleb(), form = cursor.take_uleb();
      if (i < format.size()) format[i] = {type, form};
    }
    Named named;
    const uint64_t count = fields > 0 && fields <= format.size() ? cursor.take_uleb() : 0;
    for (uint64_t i = 0; i < count && cursor.ok() && (goes_on || i <= wanted); ++i) {
      for (unsigned k = 0; k < fields; ++k) {
        const auto [type, form] = format[k];
        const Cursor before = cursor;
        Cursor text = before;
        const uint64_t value = take_form(cursor, form, {}, 0);
        if (i != wanted) continue;
        if (type == kPath) named.path = take_name(text, form);
        if (type == kDirectoryIndex) named.folder = value;
      }
    }
    return named;
  };
  entry(0, true);
  const Named file = entry(number, false);
  cursor = files_;
  const Named folder = entry(file.folder, false);
  return {folder.path, file.path, cursor.ok() && !file.path.empty() ? line : 0};
}

SourcePlace LineProgram::file_of_older(uint64_t number, uint32_t line) const {
  Cursor cursor = files_;
  while (cursor.ok() && !cursor.take_text().empty()) {
  }
  for (uint64_t i = 1; cursor.ok(); ++i) {
    const std::string_view name = cursor.take_text();
    if (name.empty()) break;
    const uint64_t folder = cursor.take_uleb();
    cursor.take_uleb();  // time
    cursor.take_uleb();  // bytes
    if (i != number) continue;
    Cursor folders = files_;
    std::string_view path;
    for (uint64_t k = 0; k < folder && folders.ok(); ++k) path = folders.take_text();
    return {path, name, line};
  }
  return {};
}

}  // namespace warpgrade::cudart
