// SPDX-License-Identifier: MIT
#include "build/elf_file.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace warpgrade {
namespace {

/// Names may overlap, so that a small file could hold any number of long ones.
constexpr size_t kMostNameBytes = size_t{1} << 30;

/// The T at `offset`, or nothing where the file ends before.
template <class T>
std::optional<T> at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return std::string_view();
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
    return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

/// All section headers. A file of more sections than its header can count says so in the first one.
std::optional<std::vector<Elf64_Shdr>> section_headers(std::string_view file, Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> headers;
  if (header.e_shoff == 0) return headers;
  const auto first = at<Elf64_Shdr>(file, header.e_shoff);
  if (!first) return std::nullopt;
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first->sh_size;
  if (count > file.size() / sizeof(Elf64_Shdr)) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    const auto each = at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!each) return std::nullopt;
    headers.push_back(*each);
  }
  return headers;
}

bool has_header_of_ours(const std::optional<Elf64_Ehdr>& header) {
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64;
}

}  // namespace

Result<ElfFile> ElfFile::open(std::string_view file) {
  ElfFile elf;
  if (!elf.read(file)) return Error{"it is no whole ELF file"};
  return elf;
}

bool ElfFile::read(std::string_view file) {
  auto header = at<Elf64_Ehdr>(file, 0);
  if (!has_header_of_ours(header)) return false;
  type_ = header->e_type;
  machine_ = header->e_machine;
  const auto headers = section_headers(file, *header);
  if (!headers) return false;
  if (headers->empty()) return true;
  const size_t names_index =
      header->e_shstrndx == SHN_XINDEX ? headers->front().sh_link : header->e_shstrndx;
  const auto names =
      names_index < headers->size() ? bytes_of(file, headers->at(names_index)) : std::nullopt;
  if (!names) return false;
  for (const Elf64_Shdr& each : *headers) {
    const auto bytes = bytes_of(file, each);
    ElfSection section;
    if (!bytes || !take_name(*names, each.sh_name, section.name)) return false;
    section.type = each.sh_type;
    section.bytes = *bytes;
    sections_.push_back(section);
  }
  for (const Elf64_Shdr& each : *headers) {
    const std::string_view bytes = *bytes_of(file, each);
    if (each.sh_type == SHT_SYMTAB || each.sh_type == SHT_DYNSYM) {
      if (each.sh_link >= headers->size() || !read_symbols(bytes, sections_[each.sh_link].bytes))
        return false;
    }
    if (each.sh_type == SHT_RELA && !read_relocations(bytes, sizeof(Elf64_Rela))) return false;
    if (each.sh_type == SHT_REL && !read_relocations(bytes, sizeof(Elf64_Rel))) return false;
  }
  return true;
}

/// The name at `offset` of a table of names; false where the table ends before the name does.
bool ElfFile::take_name(std::string_view names, uint32_t offset, std::string_view& name) {
  if (offset >= names.size()) return false;
  names.remove_prefix(offset);
  const size_t end = names.find('\0');
  if (end == std::string_view::npos) return false;
  name = names.substr(0, end);
  name_bytes_ += end;
  return name_bytes_ <= kMostNameBytes;
}

bool ElfFile::read_symbols(std::string_view table, std::string_view names) {
  for (uint64_t offset = 0; offset < table.size(); offset += sizeof(Elf64_Sym)) {
    const auto symbol = at<Elf64_Sym>(table, offset);
    if (!symbol) return false;
    ElfSymbol found{"", static_cast<unsigned char>(ELF64_ST_BIND(symbol->st_info)),
                    static_cast<unsigned char>(ELF64_ST_TYPE(symbol->st_info)), symbol->st_shndx};
    const bool is_plain = found.binding == STB_LOCAL && found.type != STT_GNU_IFUNC;
    if (is_plain || found.section == SHN_UNDEF) continue;
    if (!take_name(names, symbol->st_name, found.name)) return false;
    symbols_.push_back(found);
  }
  return true;
}

bool ElfFile::read_relocations(std::string_view table, size_t entry_bytes) {
  for (uint64_t offset = 0; offset < table.size(); offset += entry_bytes) {
    const auto entry = at<Elf64_Rel>(table, offset);
    if (!entry) return false;
    relocation_types_.insert(static_cast<uint32_t>(ELF64_R_TYPE(entry->r_info)));
  }
  return true;
}

}  // namespace warpgrade
