// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// The builder makes all symbols of a student's object local but the contract's, so that no definition
// of the student's can stand in for one of the driver's or of a library. Some things work without a
// global symbol, and these are refused:
//
//   sections      Linkers and loaders give names that begin with a dot a meaning: .preinit_array runs
//                 before the driver, .init is part of the start of the program, .interp names another
//                 loader. Only names that compilers use for code and data are taken. Names without a
//                 dot are the program's own.
//   types         The same meanings exist as section types, under any name. A section that is named like a
//                 table of the linker's has that table's type, or tools take other bytes for the table.
//   ifuncs        The loader calls their resolvers while it relocates, before anything else.
//   relocations   Those that only linkers write for loaders; IRELATIVE is an ifunc without a symbol.
//   bindings      objcopy leaves common symbols and those of the binding "unique" visible. nvcc makes
//                 neither with the builder's flags.
#include "build/object_rules.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kLongestName = 120;
constexpr uint32_t kAarch64FirstDynamic = 1024, kAarch64LastDynamic = 1032;

/// Names of sections that compilers make. With a dot or a name of anything behind them they are the same.
constexpr std::string_view kCode[] = {".text",           ".data",
                                      ".rodata",         ".bss",
                                      ".tdata",          ".tbss",
                                      ".init_array",     ".fini_array",
                                      ".ctors",          ".dtors",
                                      ".eh_frame",       ".gcc_except_table",
                                      ".comment",        ".group",
                                      ".symtab",         ".strtab",
                                      ".shstrtab",       ".symtab_shndx",
                                      ".rela",           ".rel",
                                      ".note.GNU-stack", ".note.gnu.property",
                                      ".nv_fatbin",      ".nvFatBinSegment",
                                      ".ltext",          ".ldata",
                                      ".lrodata",        ".lbss"};
constexpr std::string_view kDebug[] = {".debug_", ".zdebug_"};

constexpr uint32_t kTypes[] = {SHT_NULL,         SHT_PROGBITS, SHT_NOBITS, SHT_INIT_ARRAY,
                               SHT_FINI_ARRAY,   SHT_NOTE,     SHT_SYMTAB, SHT_STRTAB,
                               SHT_RELA,         SHT_REL,      SHT_GROUP,  SHT_SYMTAB_SHNDX,
                               SHT_X86_64_UNWIND};

/// Names under which tools expect tables of their own, and the types of these.
constexpr std::pair<std::string_view, uint32_t> kTables[] = {
    {".group", SHT_GROUP},     {".symtab", SHT_SYMTAB},
    {".strtab", SHT_STRTAB},   {".symtab_shndx", SHT_SYMTAB_SHNDX},
    {".shstrtab", SHT_STRTAB}, {".rela", SHT_RELA},
    {".rel", SHT_REL}};

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

/// ".text.f" for ".text", too.
bool is_part_of(std::string_view name, std::string_view known) {
  return name == known || (name.starts_with(known) && name[known.size()] == '.');
}

bool has_type_of_its_name(const ElfSection& section) {
  return std::none_of(std::begin(kTables), std::end(kTables), [&](const auto& table) {
    return is_part_of(section.name, table.first) && section.type != table.second;
  });
}

bool is_plain_name(std::string_view name) {
  if (!name.starts_with('.')) return true;
  return std::any_of(std::begin(kCode), std::end(kCode),
                     [name](std::string_view known) { return is_part_of(name, known); }) ||
         std::any_of(std::begin(kDebug), std::end(kDebug),
                     [name](std::string_view known) { return name.starts_with(known); });
}

/// Whether it is one of those that linkers leave to the loader.
bool is_dynamic(uint16_t machine, uint32_t relocation) {
  constexpr uint32_t kOfX86[] = {R_X86_64_COPY,     R_X86_64_GLOB_DAT,  R_X86_64_JUMP_SLOT,
                                 R_X86_64_RELATIVE, R_X86_64_IRELATIVE, R_X86_64_RELATIVE64};
  if (machine == EM_AARCH64)
    return relocation >= kAarch64FirstDynamic && relocation <= kAarch64LastDynamic;
  return holds(kOfX86, relocation);
}

/// A name of the student's choice, as messages may show it.
std::string shown(std::string_view name) { return printable(name.substr(0, kLongestName)); }

}  // namespace

Sentence refusal_of(const ElfFile& object) {
  if (object.type() != ET_REL) return say("build.no_object");
  for (const ElfSection& each : object.sections()) {
    if (!is_plain_name(each.name)) return say("build.section", {{"name", shown(each.name)}});
    if (!holds(kTypes, each.type) || !has_type_of_its_name(each))
      return say("build.section_type", {{"name", shown(each.name)}});
  }
  for (const ElfSymbol& each : object.symbols()) {
    if (each.type == STT_GNU_IFUNC) return say("build.ifunc", {{"name", shown(each.name)}});
    if (each.binding == STB_GNU_UNIQUE || each.section == SHN_COMMON || each.type == STT_COMMON)
      return say("build.shared_symbol", {{"name", shown(each.name)}});
  }
  for (const uint32_t each : object.relocation_types()) {
    if (is_dynamic(object.machine(), each)) return say("build.relocation", {{"type", each}});
  }
  return {};
}

std::string symbol_beyond(const ElfFile& object, const std::set<std::string>& contract) {
  for (const ElfSymbol& each : object.symbols()) {
    if (each.binding != STB_LOCAL && contract.count(std::string(each.name)) == 0)
      return shown(each.name);
  }
  return "";
}

}  // namespace warpgrade
