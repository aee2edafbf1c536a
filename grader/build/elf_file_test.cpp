// SPDX-License-Identifier: MIT
#include "build/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/files.h"

namespace warpgrade {
namespace {

std::string this_program() { return *RealFiles().read("/proc/self/exe"); }

TEST(ElfFile, NamesTheSectionsAndSymbolsOfAProgram) {
  const std::string bytes = this_program();
  const Result<ElfFile> elf = ElfFile::open(bytes);
  ASSERT_TRUE(elf.ok());
  bool has_text = false, has_main = false;
  for (const ElfSection& each : elf->sections()) has_text = has_text || each.name == ".text";
  for (const ElfSymbol& each : elf->symbols()) has_main = has_main || each.name == "main";
  EXPECT_TRUE(has_text);
  EXPECT_TRUE(has_main);
  EXPECT_EQ(elf->relocation_types().count(R_X86_64_JUMP_SLOT), 1u);
}

TEST(ElfFile, IsAnErrorWhereNoElfFileIs) {
  for (const std::string text : {"", "\177ELF", "#!/bin/sh\nexit 0\n"})
    EXPECT_FALSE(ElfFile::open(text).ok());
}

/// Hostile bytes: no damage may read outside of the file, take long or much memory.
TEST(ElfFile, StandsAnyDamage) {
  const std::string whole = this_program();
  // The head and the tail hold all headers, names and symbols.
  std::mt19937 random(1);
  const size_t table = whole.size() - std::min<size_t>(whole.size(), 4096);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) {
      const size_t at = i % 2 == 0 ? random() % sizeof(Elf64_Ehdr) : table + random() % 4096;
      damaged[at % damaged.size()] = static_cast<char>(random());
    }
    const Result<ElfFile> elf = ElfFile::open(damaged);
    if (elf.ok()) {
      EXPECT_LE(elf->sections().size(), damaged.size());
    }
  }
}

/// A table of symbols that all begin at the front of one long name.
TEST(ElfFile, RefusesNamesThatOverlapWithoutEnd) {
  const size_t name_bytes = size_t{4} << 20;
  const std::string names =
      std::string(1, '\0') + ".t" + '\0' + std::string(name_bytes, 'x') + '\0';
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 2;
  header.e_shstrndx = 1;
  Elf64_Sym symbol = {};
  symbol.st_name = 4;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  std::string table;
  for (int i = 0; i < 100'000; ++i)
    table.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  Elf64_Shdr symbols = {}, strings = {};
  symbols.sh_name = strings.sh_name = 1;
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_link = 1;
  symbols.sh_offset = sizeof header + 2 * sizeof symbols;
  symbols.sh_size = table.size();
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = symbols.sh_offset + table.size();
  strings.sh_size = names.size();
  std::string file;
  file.append(reinterpret_cast<const char*>(&header), sizeof header);
  file.append(reinterpret_cast<const char*>(&symbols), sizeof symbols);
  file.append(reinterpret_cast<const char*>(&strings), sizeof strings);
  EXPECT_FALSE(ElfFile::open(file + table + names).ok());
}

}  // namespace
}  // namespace warpgrade
