// SPDX-License-Identifier: MIT
#include "build/device_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "base/text.h"
#include "emulator/runtime/fatbin.h"

namespace warpgrade {
namespace {

/// Where nvcc puts containers: of whole programs, and of code that is still to be linked (-rdc).
constexpr std::string_view kSections[] = {".nv_fatbin", "__nv_relfatbin"};
constexpr size_t kAlignment = 8;

/// The T at `offset`, or nothing where the file ends before.
template <class T>
std::optional<T> at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
    return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

Error damaged() { return {"the program is no file that the linker makes"}; }

std::string_view name_at(std::string_view names, uint32_t offset) {
  if (offset >= names.size()) return "";
  names.remove_prefix(offset);
  return names.substr(0, names.find('\0'));
}

/// The contents of the sections that hold device code.
Result<std::vector<std::string_view>> code_sections(std::string_view file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return damaged();
  const auto section = [&](size_t index) {
    return at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names_header = section(header->e_shstrndx);
  const auto names = names_header ? bytes_of(file, *names_header) : std::nullopt;
  if (!names) return damaged();
  std::vector<std::string_view> found;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const auto each = section(i);
    if (!each) return damaged();
    const std::string_view name = name_at(*names, each->sh_name);
    if (std::find(std::begin(kSections), std::end(kSections), name) == std::end(kSections))
      continue;
    const auto bytes = bytes_of(file, *each);
    if (!bytes) return damaged();
    found.push_back(*bytes);
  }
  return found;
}

std::string name_of(const emulator::FatbinEntry& entry) {
  return fmt::format("{}_{}", entry.kind == emulator::FatbinKind::ptx ? "compute" : "sm", entry.sm);
}

/// Adds what the containers of one section hold; between them the linker pads with zeros.
Status add_code(std::string_view section, std::set<std::string>& names) {
  while (!section.empty()) {
    if (section.substr(0, kAlignment).find_first_not_of('\0') == std::string_view::npos) {
      section.remove_prefix(std::min(kAlignment, section.size()));
      continue;
    }
    const Result<size_t> size = emulator::fatbin_size(section);
    if (!size) return size.error();
    const Result<std::vector<emulator::FatbinEntry>> entries = emulator::read_fatbin(section);
    if (!entries) return entries.error();
    for (const emulator::FatbinEntry& entry : *entries) {
      if (entry.kind != emulator::FatbinKind::other) names.insert(name_of(entry));
    }
    section.remove_prefix(*size);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> device_code_in(std::string_view elf) {
  const Result<std::vector<std::string_view>> sections = code_sections(elf);
  if (!sections) return sections.error();
  std::set<std::string> names;
  for (const std::string_view section : *sections) {
    if (const Status added = add_code(section, names); !added) return added.error();
  }
  return std::vector<std::string>(names.begin(), names.end());
}

std::string missing_code(const std::vector<std::string>& found,
                         const std::vector<std::string>& wanted) {
  std::vector<std::string> missing;
  for (const std::string& each : wanted) {
    if (std::find(found.begin(), found.end(), each) == found.end()) missing.push_back(each);
  }
  if (missing.empty()) return "";
  return fmt::format("the program carries {}, and the assignment wants {}",
                     found.empty() ? "no device code" : join(found, ", "), join(missing, ", "));
}

}  // namespace warpgrade
