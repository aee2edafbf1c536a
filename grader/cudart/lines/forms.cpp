// SPDX-License-Identifier: MIT
#include "cudart/lines/forms.h"

#include <elf.h>

#include <utility>

namespace warpgrade::cudart {
namespace {

/// Forms of which each value has the same size.
constexpr std::pair<uint64_t, uint8_t> kSizesBytes[] = {
    {kData1, 1},     {kRef1, 1},  {kFlag, 1},     {kStrx1, 1},   {kAddrx1, 1},  {kData2, 2},
    {kRef2, 2},      {kStrx2, 2}, {kAddrx2, 2},   {kData4, 4},   {kRef4, 4},    {kRefAddr, 4},
    {kSecOffset, 4}, {kStrp, 4},  {kLineStrp, 4}, {kStrpSup, 4}, {kRefSup4, 4}, {kStrx4, 4},
    {kAddrx4, 4},    {kData8, 8}, {kRef8, 8},     {kRefSig8, 8}, {kRefSup8, 8}, {kData16, 16},
};

/// Goes past a block of bytes, or a text.
void skip_block(Cursor& cursor, uint64_t form) {
  switch (form) {
    case kString:
      cursor.take_text();
      break;
    case kBlock1:
      cursor.skip(cursor.take<uint8_t>());
      break;
    case kBlock2:
      cursor.skip(cursor.take<uint16_t>());
      break;
    case kBlock4:
      cursor.skip(cursor.take<uint32_t>());
      break;
    case kBlock:
    case kExprloc:
      cursor.skip(cursor.take_uleb());
      break;
    default:
      cursor.skip(~uint64_t{0});  // Its size is unknown, so nothing behind it can be read.
  }
}

}  // namespace

Sections sections_of(std::span<const std::byte> elf) {
  Sections found;
  const auto header = Cursor(elf).take<Elf64_Ehdr>();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return found;
  const auto section = [&](size_t number) {
    return Cursor(elf, header.e_shoff + number * sizeof(Elf64_Shdr)).take<Elf64_Shdr>();
  };
  const auto bytes_of = [&](const Elf64_Shdr& one) {
    const bool is_plain = (one.sh_flags & SHF_COMPRESSED) == 0 && one.sh_type != SHT_NOBITS;
    return is_plain ? Cursor(elf, one.sh_offset).take_part(one.sh_size)
                    : std::span<const std::byte>();
  };
  const auto names = bytes_of(section(header.e_shstrndx));
  const std::pair<std::string_view, std::span<const std::byte>*> wanted[] = {
      {".debug_info", &found.info},         {".debug_abbrev", &found.abbrev},
      {".debug_line", &found.line},         {".debug_str", &found.str},
      {".debug_line_str", &found.line_str}, {".debug_ranges", &found.ranges},
      {".debug_rnglists", &found.rnglists}, {".debug_addr", &found.addr}};
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    const std::string_view name = Cursor(names, one.sh_name).take_text();
    for (const auto& [its_name, bytes] : wanted)
      if (name == its_name) *bytes = bytes_of(one);
  }
  return found;
}

uint64_t take_form(Cursor& cursor, uint64_t form, const Unit& unit, int64_t implicit) {
  for (const auto& [its_form, bytes] : kSizesBytes) {
    if (form == its_form) return cursor.take_sized(bytes);
  }
  switch (form) {
    case kAddr:
      return cursor.take_sized(unit.address_bytes);
    case kStrx3:
    case kAddrx3: {
      const auto low = cursor.take<uint16_t>();
      return low | uint64_t{cursor.take<uint8_t>()} << 16;
    }
    case kUdata:
    case kRefUdata:
    case kStrx:
    case kAddrx:
    case kLoclistx:
    case kRnglistx:
      return cursor.take_uleb();
    case kSdata:
      return static_cast<uint64_t>(cursor.take_sleb());
    case kImplicitConst:
      return static_cast<uint64_t>(implicit);
    case kFlagPresent:
      return 1;
    case kIndirect: {
      const uint64_t other = cursor.take_uleb();
      return other == kIndirect ? 0 : take_form(cursor, other, unit, implicit);
    }
    default:
      skip_block(cursor, form);
      return 0;
  }
}

}  // namespace warpgrade::cudart
