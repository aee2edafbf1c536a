// SPDX-License-Identifier: MIT
#include "run/needed_libraries.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Reads structs out of a file's bytes; zeros beyond its end.
template <class T>
T at(std::string_view bytes, uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string string_at(std::string_view bytes, uint64_t offset) {
  return offset < bytes.size()
             ? std::string(bytes.substr(offset, bytes.find('\0', offset) - offset))
             : "";
}

template <class Header>
std::vector<Header> table(std::string_view bytes, uint64_t offset, uint64_t count) {
  std::vector<Header> rows;
  for (uint64_t i = 0; i < std::min<uint64_t>(count, bytes.size() / sizeof(Header)); ++i)
    rows.push_back(at<Header>(bytes, offset + i * sizeof(Header)));
  return rows;
}

uint64_t file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  }
  return 0;
}

bool has_section(std::string_view bytes, std::string_view name) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  const auto sections = table<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum);
  if (header.e_shstrndx >= sections.size()) return false;
  const uint64_t names = sections[header.e_shstrndx].sh_offset;
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    return string_at(bytes, names + section.sh_name) == name;
  });
}

/// A list of folders in which $ORIGIN stands for the file's own.
std::vector<std::string> folders_in(const std::string& list, const fs::path& file) {
  const std::string origin = file.has_parent_path() ? file.parent_path().string() : ".";
  std::vector<std::string> folders;
  for (std::string folder : split(list, ':')) {
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      const size_t found = folder.find(word);
      if (found != std::string::npos) folder.replace(found, word.size(), origin);
    }
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

/// A library whose own needs are known, or of no interest.
bool is_leaf(std::string_view name) {
  constexpr std::string_view kLeaves[] = {"ld-linux", "libc.so",  "libm.so",    "libdl.so",
                                          "librt.so", "libgcc_s", "libpthread", "libstdc++",
                                          "libcu",    "libnpp",   "libnccl",    "libnv"};
  return std::any_of(std::begin(kLeaves), std::end(kLeaves),
                     [&](std::string_view leaf) { return name.starts_with(leaf); });
}

/// One file among those that a program loads.
struct Loaded {
  fs::path path;
  ElfFile elf;
  std::vector<std::string> inherited;  ///< DT_RPATH of those that loaded it
};

std::optional<fs::path> find(const Files& files, const std::string& name, const Loaded& by,
                             const std::vector<std::string>& search) {
  constexpr const char* kSystem[] = {"/lib/x86_64-linux-gnu",
                                     "/usr/lib/x86_64-linux-gnu",
                                     "/lib/aarch64-linux-gnu",
                                     "/usr/lib/aarch64-linux-gnu",
                                     "/lib64",
                                     "/usr/lib64",
                                     "/lib",
                                     "/usr/lib",
                                     "/usr/local/lib"};
  if (name.find('/') != std::string::npos)
    return files.exists(name) ? std::optional<fs::path>(name) : std::nullopt;
  std::vector<std::string> folders;
  // ld.so leaves DT_RPATH aside where there is DT_RUNPATH.
  if (by.elf.runpath.empty()) folders = by.inherited;
  folders.insert(folders.end(), search.begin(), search.end());
  folders.insert(folders.end(), by.elf.runpath.begin(), by.elf.runpath.end());
  folders.insert(folders.end(), std::begin(kSystem), std::end(kSystem));
  for (const std::string& folder : folders) {
    if (files.exists(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return std::nullopt;
}

Loaded loaded_by(const Loaded* by, fs::path path, ElfFile elf) {
  Loaded loaded = {std::move(path), std::move(elf), {}};
  loaded.inherited = loaded.elf.rpath;
  if (by != nullptr)
    loaded.inherited.insert(loaded.inherited.end(), by->inherited.begin(), by->inherited.end());
  return loaded;
}

}  // namespace

Result<ElfFile> read_elf(const Files& files, const fs::path& path) {
  const Result<std::string> bytes = files.read(path);
  if (!bytes) return bytes.error();
  const auto header = at<Elf64_Ehdr>(*bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return Error{fmt::format("{} is not a 64-bit Linux program", path.string())};
  const auto segments = table<Elf64_Phdr>(*bytes, header.e_phoff, header.e_phnum);
  const auto dynamic = std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr& each) {
    return each.p_type == PT_DYNAMIC;
  });
  ElfFile elf;
  elf.has_device_code = has_section(*bytes, ".nv_fatbin");
  elf.is_dynamic = std::any_of(segments.begin(), segments.end(),
                               [](const Elf64_Phdr& each) { return each.p_type == PT_INTERP; });
  if (dynamic == segments.end()) return elf;
  const auto entries =
      table<Elf64_Dyn>(*bytes, dynamic->p_offset, dynamic->p_filesz / sizeof(Elf64_Dyn));
  const auto end = std::find_if(entries.begin(), entries.end(),
                                [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
  uint64_t strings = 0;
  std::for_each(entries.begin(), end, [&](const Elf64_Dyn& entry) {
    if (entry.d_tag == DT_STRTAB) strings = file_offset(segments, entry.d_un.d_ptr);
  });
  std::for_each(entries.begin(), end, [&](const Elf64_Dyn& entry) {
    const std::string text = string_at(*bytes, strings + entry.d_un.d_val);
    if (entry.d_tag == DT_NEEDED) elf.needed.push_back(text);
    if (entry.d_tag == DT_RPATH) elf.rpath = folders_in(text, path);
    if (entry.d_tag == DT_RUNPATH) elf.runpath = folders_in(text, path);
  });
  return elf;
}

std::vector<std::string> all_needed(const Files& files, const fs::path& program, const ElfFile& elf,
                                    const std::string& search) {
  const std::vector<std::string> folders = folders_in(search, program);
  std::deque<Loaded> open = {loaded_by(nullptr, program, elf)};
  std::set<std::string> known;
  std::vector<std::string> names;
  for (; !open.empty(); open.pop_front()) {
    const Loaded by = open.front();
    for (const std::string& name : by.elf.needed) {
      if (!known.insert(name).second) continue;
      names.push_back(name);
      const std::optional<fs::path> path =
          is_leaf(name) ? std::nullopt : find(files, name, by, folders);
      if (!path) continue;
      if (Result<ElfFile> library = read_elf(files, *path))
        open.push_back(loaded_by(&by, *path, std::move(*library)));
    }
  }
  return names;
}

}  // namespace warpgrade
