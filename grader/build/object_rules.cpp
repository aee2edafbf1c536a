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
//   types         The same meanings exist as section types, under any name.
//   ifuncs        The loader calls their resolvers while it relocates, before anything else.
//   relocations   Those that only linkers write for loaders; IRELATIVE is an ifunc without a symbol.
//   bindings      objcopy leaves common symbols and those of the binding "unique" visible. nvcc makes
//                 neither with the builder's flags.
#include "build/object_rules.h"

#include <elf.h>

#include <algorithm>

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

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

bool is_plain_name(std::string_view name) {
  if (!name.starts_with('.')) return true;
  const auto is_part_of = [name](std::string_view known) {
    return name == known || (name.starts_with(known) && name[known.size()] == '.');
  };
  return std::any_of(std::begin(kCode), std::end(kCode), is_part_of) ||
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
    if (!holds(kTypes, each.type)) return say("build.section_type", {{"name", shown(each.name)}});
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
