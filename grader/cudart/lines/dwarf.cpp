// SPDX-License-Identifier: MIT
#include "cudart/lines/dwarf.h"

#include <array>
#include <optional>

#include "cudart/lines/forms.h"
#include "cudart/lines/line_program.h"

namespace warpgrade::cudart {
namespace {

// Numbers of DWARF 5, section 7.5.
enum Tag : uint64_t { kInlinedSubroutine = 0x1d };
enum Attribute : uint64_t {
  kStmtList = 0x10,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kRanges = 0x55,
  kCallFile = 0x58,
  kCallLine = 0x59,
  kAddrBase = 0x73,
  kRnglistsBase = 0x74,
};

/// Where a unit's abbreviations begin, by their codes, which compilers number from 1.
class Abbreviations {
 public:
  void read(std::span<const std::byte> section, uint64_t offset) {
    section_ = section;
    begins_.fill(0);
    Cursor cursor(section, offset);
    while (cursor.ok()) {
      const uint64_t code = cursor.take_uleb();
      if (code == 0) return;
      if (code < begins_.size())
        begins_[code] = static_cast<uint32_t>(section.size() - cursor.left());
      cursor.take_uleb();
      cursor.take<uint8_t>();
      for (bool is_last = false; !is_last && cursor.ok();) {
        const uint64_t name = cursor.take_uleb(), form = cursor.take_uleb();
        if (form == kImplicitConst) cursor.take_sleb();
        is_last = name == 0 && form == 0;
      }
    }
  }
  /// At the tag of the abbreviation with this code.
  std::optional<Cursor> find(uint64_t code) const {
    if (code >= begins_.size() || begins_[code] == 0) return std::nullopt;
    return Cursor(section_, begins_[code]);
  }

 private:
  std::span<const std::byte> section_;
  std::array<uint32_t, 1024> begins_{};
};

/// What places need of an entry.
struct Entry {
  uint64_t tag = 0;
  std::optional<uint64_t> line_program, low_pc, high_pc, ranges;
  uint64_t low_form = 0, high_form = 0, ranges_form = 0;
  uint32_t call_file = 0, call_line = 0;
};

class Places {
 public:
  Places(const Sections& sections, uint64_t address, std::span<SourcePlace, kMostPlaces> places)
      : sections_(sections), address_(address), places_(places) {}

  size_t find() {
    Cursor units(sections_.info);
    while (units.left() > 0 && units.ok() && count_ == 0) {
      const auto bytes = units.take<uint32_t>();
      constexpr uint32_t kFirstReserved = 0xffff'fff0;  // DWARF of 64 bits
      if (bytes >= kFirstReserved) break;
      look_into(Cursor(units.take_part(bytes)));
    }
    return count_;
  }

 private:
  void look_into(Cursor cursor) {
    unit_ = {};
    unit_.version = cursor.take<uint16_t>();
    if (unit_.version != 4 && unit_.version != 5) return;
    constexpr uint8_t kCompile = 1;
    if (unit_.version == 5 && cursor.take<uint8_t>() != kCompile) return;
    if (unit_.version == 5) unit_.address_bytes = cursor.take<uint8_t>();
    unit_.abbrev_offset = cursor.take<uint32_t>();
    if (unit_.version == 4) unit_.address_bytes = cursor.take<uint8_t>();
    abbreviations_.read(sections_.abbrev, unit_.abbrev_offset);
    const std::optional<Entry> root = take_entry(cursor);
    if (!root || !root->line_program) return;
    unit_.low_pc = root->low_pc.value_or(0);
    if (!contains(*root)) return;
    const LineProgram lines(sections_, *root->line_program);
    const SourcePlace own = lines.at(address_);
    if (own.line == 0) return;
    Entry calls[kMostPlaces];
    size_t depth = 0;
    while (cursor.left() > 0 && cursor.ok()) {
      const std::optional<Entry> entry = take_entry(cursor);
      if (!entry) continue;
      if (entry->tag == kInlinedSubroutine && contains(*entry) && depth < kMostPlaces - 1)
        calls[depth++] = *entry;
    }
    places_[count_++] = own;
    while (depth > 0) {
      const Entry& call = calls[--depth];
      places_[count_++] = lines.file(call.call_file, call.call_line);
    }
  }

  /// None for the end of siblings, and, with nothing left behind it, for what cannot be read.
  std::optional<Entry> take_entry(Cursor& cursor) {
    const uint64_t code = cursor.take_uleb();
    if (code == 0) return std::nullopt;
    std::optional<Cursor> abbreviation = abbreviations_.find(code);
    if (!abbreviation) {
      cursor.skip(cursor.left());
      return std::nullopt;
    }
    Entry entry;
    entry.tag = abbreviation->take_uleb();
    abbreviation->take<uint8_t>();
    while (abbreviation->ok()) {
      const uint64_t name = abbreviation->take_uleb(), form = abbreviation->take_uleb();
      if (name == 0 && form == 0) return entry;
      const int64_t implicit = form == kImplicitConst ? abbreviation->take_sleb() : 0;
      keep(entry, name, form, take_form(cursor, form, unit_, implicit));
    }
    return std::nullopt;
  }

  void keep(Entry& entry, uint64_t name, uint64_t form, uint64_t value) {
    switch (name) {
      case kStmtList:
        entry.line_program = value;
        break;
      case kLowPc:
        entry.low_pc = value;
        entry.low_form = form;
        break;
      case kHighPc:
        entry.high_pc = value;
        entry.high_form = form;
        break;
      case kRanges:
        entry.ranges = value;
        entry.ranges_form = form;
        break;
      case kCallFile:
        entry.call_file = static_cast<uint32_t>(value);
        break;
      case kCallLine:
        entry.call_line = static_cast<uint32_t>(value);
        break;
      case kAddrBase:
        unit_.addr_base = value;
        break;
      case kRnglistsBase:
        unit_.rnglists_base = value;
        break;
      default:
        break;
    }
  }

  static bool is_index(uint64_t form) {
    return form == kAddrx || (form >= kAddrx1 && form <= kAddrx4);
  }
  uint64_t address_number(uint64_t index) const {
    return Cursor(sections_.addr, unit_.addr_base + index * unit_.address_bytes)
        .take_sized(unit_.address_bytes);
  }

  bool contains(const Entry& entry) const {
    if (entry.ranges) {
      return unit_.version == 4 ? is_in_ranges(*entry.ranges)
                                : is_in_range_list(*entry.ranges, entry.ranges_form);
    }
    if (!entry.low_pc || !entry.high_pc) return false;
    const uint64_t low = is_index(entry.low_form) ? address_number(*entry.low_pc) : *entry.low_pc;
    const uint64_t high = entry.high_form == kAddr    ? *entry.high_pc
                          : is_index(entry.high_form) ? address_number(*entry.high_pc)
                                                      : low + *entry.high_pc;
    return is_between(low, high);
  }
  bool is_between(uint64_t low, uint64_t high) const { return low <= address_ && address_ < high; }

  bool is_in_ranges(uint64_t offset) const {
    Cursor cursor(sections_.ranges, offset);
    uint64_t base = unit_.low_pc;
    while (cursor.ok()) {
      const auto low = cursor.take<uint64_t>(), high = cursor.take<uint64_t>();
      if (low == 0 && high == 0) return false;
      if (low == ~uint64_t{0}) {
        base = high;
      } else if (is_between(base + low, base + high)) {
        return true;
      }
    }
    return false;
  }

  /// DWARF 5, section 7.25.
  bool is_in_range_list(uint64_t value, uint64_t form) const {
    enum Kind : uint8_t {
      kEnd,
      kBaseX,
      kStartXEndX,
      kStartXLength,
      kOffsets,
      kBase,
      kStartEnd,
      kStartLength
    };
    uint64_t offset = value;
    if (form == kRnglistx) {
      offset = unit_.rnglists_base +
               Cursor(sections_.rnglists, unit_.rnglists_base + value * 4).take<uint32_t>();
    }
    Cursor cursor(sections_.rnglists, offset);
    const auto address = [&] { return cursor.take_sized(unit_.address_bytes); };
    uint64_t base = unit_.low_pc;
    while (cursor.ok()) {
      uint64_t low = 0, high = 0;
      switch (cursor.take<uint8_t>()) {
        case kBaseX:
          base = address_number(cursor.take_uleb());
          continue;
        case kStartXEndX:
          low = address_number(cursor.take_uleb());
          high = address_number(cursor.take_uleb());
          break;
        case kStartXLength:
          low = address_number(cursor.take_uleb());
          high = low + cursor.take_uleb();
          break;
        case kOffsets:
          low = base + cursor.take_uleb();
          high = base + cursor.take_uleb();
          break;
        case kBase:
          base = address();
          continue;
        case kStartEnd:
          low = address();
          high = address();
          break;
        case kStartLength:
          low = address();
          high = low + cursor.take_uleb();
          break;
        default:
          return false;
      }
      if (is_between(low, high)) return true;
    }
    return false;
  }

  const Sections& sections_;
  const uint64_t address_;
  std::span<SourcePlace, kMostPlaces> places_;
  size_t count_ = 0;
  Unit unit_;
  Abbreviations abbreviations_;
};

}  // namespace

size_t places_of(std::span<const std::byte> elf, uint64_t address,
                 std::span<SourcePlace, kMostPlaces> places) {
  const Sections sections = sections_of(elf);
  return Places(sections, address, places).find();
}

}  // namespace warpgrade::cudart
