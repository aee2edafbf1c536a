// SPDX-License-Identifier: MIT
#include "run/needed_libraries.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

/// A library of one segment, which is the whole file, with these dynamic entries.
std::string elf_file(const std::vector<std::pair<Elf64_Sxword, std::string>>& entries) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 2;
  const uint64_t dynamic = sizeof header + 2 * sizeof(Elf64_Phdr);
  const uint64_t strings = dynamic + (entries.size() + 2) * sizeof(Elf64_Dyn);
  std::string texts(1, '\0');
  std::vector<Elf64_Dyn> rows;
  for (const auto& [tag, text] : entries) {
    rows.push_back({tag, {texts.size()}});
    texts += text + '\0';
  }
  rows.push_back({DT_STRTAB, {strings}});
  rows.push_back({DT_NULL, {0}});
  Elf64_Phdr segments[2] = {};
  segments[0].p_type = PT_LOAD;
  segments[0].p_filesz = strings + texts.size();
  segments[1].p_type = PT_DYNAMIC;
  segments[1].p_offset = dynamic;
  segments[1].p_filesz = rows.size() * sizeof(Elf64_Dyn);
  const auto bytes = [](const auto* from, size_t count) {
    return std::string(reinterpret_cast<const char*>(from), count * sizeof *from);
  };
  return bytes(&header, 1) + bytes(segments, 2) + bytes(rows.data(), rows.size()) + texts;
}

Strings all_needed_by(const FakeFiles& files, const std::string& program,
                      const std::string& search = "") {
  return all_needed(files, program, read_elf(files, program).value(), search);
}

TEST(ReadElf, ReadsWhatAProgramNeeds) {
  const Result<ElfFile> elf = read_elf(RealFiles(), "/proc/self/exe");
  ASSERT_TRUE(elf.ok()) << elf.error().message;
  EXPECT_EQ(std::count(elf->needed.begin(), elf->needed.end(), "libc.so.6"), 1);
  EXPECT_TRUE(elf->is_dynamic);
  EXPECT_FALSE(elf->has_device_code);
}

TEST(AllNeeded, FollowsAProgramsOwnLibraries) {
  FakeFiles files;
  files.contents["app/main"] = elf_file({{DT_NEEDED, "libfirst.so"}, {DT_RUNPATH, "$ORIGIN/lib"}});
  files.contents["app/lib/libfirst.so"] =
      elf_file({{DT_NEEDED, "libsecond.so"}, {DT_NEEDED, "libc.so.6"}, {DT_RUNPATH, "${ORIGIN}"}});
  files.contents["app/lib/libsecond.so"] =
      elf_file({{DT_NEEDED, "libcudart.so.12"}, {DT_NEEDED, "libfirst.so"}});
  EXPECT_EQ(all_needed_by(files, "app/main"),
            (Strings{"libfirst.so", "libsecond.so", "libc.so.6", "libcudart.so.12"}));
}

TEST(AllNeeded, InheritsRpathAndNotRunpath) {
  FakeFiles files;
  files.contents["/lib/libfirst.so"] = elf_file({{DT_NEEDED, "libsecond.so"}});
  files.contents["/own/libsecond.so"] = elf_file({{DT_NEEDED, "libcudart.so.13"}});
  files.contents["old"] = elf_file({{DT_NEEDED, "libfirst.so"}, {DT_RPATH, "/own"}});
  files.contents["new"] = elf_file({{DT_NEEDED, "libfirst.so"}, {DT_RUNPATH, "/own"}});
  EXPECT_EQ(all_needed_by(files, "old"),
            (Strings{"libfirst.so", "libsecond.so", "libcudart.so.13"}));
  EXPECT_EQ(all_needed_by(files, "new"), (Strings{"libfirst.so", "libsecond.so"}));
}

TEST(AllNeeded, SearchesTheEnvironmentsFoldersBeforeRunpath) {
  FakeFiles files;
  files.contents["main"] = elf_file({{DT_NEEDED, "libown.so"}, {DT_RUNPATH, "/late"}});
  files.contents["/early/libown.so"] = elf_file({{DT_NEEDED, "libcudart.so.13"}});
  files.contents["/late/libown.so"] = elf_file({{DT_NEEDED, "libcudart.so.12"}});
  EXPECT_EQ(all_needed_by(files, "main", "/none:/early"),
            (Strings{"libown.so", "libcudart.so.13"}));
  EXPECT_EQ(all_needed_by(files, "main"), (Strings{"libown.so", "libcudart.so.12"}));
}

TEST(AllNeeded, OpensNeitherTheSystemsLibrariesNorCudas) {
  FakeFiles files;
  files.contents["main"] = elf_file({{DT_NEEDED, "libcublas.so.13"}});
  files.contents["/lib64/libcublas.so.13"] = elf_file({{DT_NEEDED, "libcublasLt.so.13"}});
  EXPECT_EQ(all_needed_by(files, "main"), Strings{"libcublas.so.13"});
}

}  // namespace
}  // namespace warpgrade
