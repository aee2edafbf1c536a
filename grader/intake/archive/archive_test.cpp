// SPDX-License-Identifier: MIT
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/text.h"
#include "intake/archive/read_archive.h"
#include "intake/archive/record.h"
#include "intake/archive/sandbox_unpacker.h"
#include "intake/refusal.h"
#include "intake/submission.h"
#include "testing/best_sandbox.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

/// One entry to pack.
struct Entry {
  std::string path;
  std::string contents = {};
  mode_t type = AE_IFREG;
  std::string hard_link = {};
};

enum class Format { kZip, kTar, kTarGz, kTarXz, kTarZst };

std::string pack(Format format, const std::vector<Entry>& entries) {
  std::string bytes(8 << 20, '\0');
  size_t used = 0;
  archive* out = archive_write_new();
  if (format == Format::kZip) {
    archive_write_set_format_zip(out);
  } else {
    archive_write_set_format_pax_restricted(out);
  }
  if (format == Format::kTarGz) archive_write_add_filter_gzip(out);
  if (format == Format::kTarXz) archive_write_add_filter_xz(out);
  if (format == Format::kTarZst) archive_write_add_filter_zstd(out);
  archive_write_open_memory(out, bytes.data(), bytes.size(), &used);
  for (const Entry& each : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, each.path.c_str());
    archive_entry_set_filetype(entry, each.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 1'791'237'540, 0);
    if (each.type == AE_IFLNK) archive_entry_set_symlink(entry, "/etc/passwd");
    if (!each.hard_link.empty()) archive_entry_set_hardlink(entry, each.hard_link.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(each.contents.size()));
    EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK) << archive_error_string(out);
    archive_write_data(out, each.contents.data(), each.contents.size());
    archive_entry_free(entry);
  }
  EXPECT_EQ(archive_write_close(out), ARCHIVE_OK);
  archive_write_free(out);
  bytes.resize(used);
  return bytes;
}

UnpackedArchive unpack(const std::string& bytes, int levels = 1, const ArchiveLimits& limits = {}) {
  return read_archive(bytes, {".cu", "list.yml"}, limits, levels);
}

/// "path: contents" or "path! refusal" for each file, then folders, notes and the refusal of all.
Lines lines_of(const UnpackedArchive& unpacked) {
  Lines lines;
  for (const ArchivedFile& file : unpacked.files)
    lines.push_back(file.path.string() + (file.refusal.empty()
                                              ? ": " + file.contents
                                              : "! " + say_refusal(file.refusal).text));
  for (const fs::path& folder : unpacked.folders) lines.push_back(folder.string() + '/');
  for (const std::string& note : unpacked.notes) lines.push_back("note: " + note);
  if (!unpacked.refusal.empty())
    lines.push_back("all: " + say_refusal(unpacked.refusal, "it").text);
  return lines;
}

TEST(ReadArchive, OpensEachFormatAndKeepsTheFilesThatAreWanted) {
  for (const Format format :
       {Format::kZip, Format::kTar, Format::kTarGz, Format::kTarXz, Format::kTarZst}) {
    const UnpackedArchive unpacked = unpack(pack(
        format,
        {{"a", "", AE_IFDIR}, {"a/x.CU", "int x;"}, {"./b//y.bin", "123"}, {"list.yml", "l"}}));
    EXPECT_EQ(lines_of(unpacked), (Lines{"a/x.CU: int x;", "b/y.bin: ", "list.yml: l", "a/"}))
        << static_cast<int>(format);
    EXPECT_EQ(unpacked.files.at(0).written->seconds, 1'791'237'540);
  }
}

TEST(ReadArchive, RefusesLinksAndDevicesAndLeavesOutPathsThatLeave) {
  EXPECT_EQ(
      lines_of(unpack(pack(Format::kTar, {{"link.cu", "", AE_IFLNK},
                                          {"a.cu", "int a;"},
                                          {"hard.cu", "", AE_IFREG, "a.cu"},
                                          {"pipe.cu", "", AE_IFIFO},
                                          {"disk.cu", "", AE_IFBLK},
                                          {"../up.cu", "x"},
                                          {"a/../../up.cu", "x"},
                                          {"/etc/x.cu", "x"},
                                          {"C:\\x.cu", "x"}}))),
      (Lines{"link.cu! link.cu is a link", "a.cu: int a;", "hard.cu! hard.cu is a link",
             "pipe.cu! pipe.cu is not a regular file", "disk.cu! disk.cu is not a regular file",
             "note: '../up.cu' was left out: the path leaves the archive's folder",
             "note: 'a/../../up.cu' was left out: the path leaves the archive's folder",
             "note: '/etc/x.cu' was left out: the path leaves the archive's folder",
             "note: 'C:\\x.cu' was left out: the path leaves the archive's folder"}));
}

TEST(ReadArchive, StopsAtItsLimits) {
  ArchiveLimits limits;
  limits.files = 3;
  EXPECT_EQ(lines_of(unpack(pack(Format::kZip, {{"1"}, {"2"}, {"3"}, {"4"}}), 1, limits)),
            Lines{"all: it holds more than 3 files"});
  limits.file_bytes = 1000;
  const std::string big(100'000, 'x');
  EXPECT_EQ(lines_of(unpack(pack(Format::kZip, {{"a.cu", big}, {"b.cu", "b"}}), 1, limits)),
            (Lines{"a.cu! a.cu is larger than 1000 bytes", "b.cu: b"}));
  limits = {};
  limits.kept_bytes = 1 << 20;
  const std::string most(900'000, 'x');
  EXPECT_EQ(lines_of(unpack(pack(Format::kTarGz, {{"a.cu", most}, {"b.cu", most}}), 1, limits)),
            Lines{"all: it unpacks to more than 1 MiB"});
  limits.skipped_bytes = 1 << 20;
  EXPECT_EQ(
      lines_of(unpack(pack(Format::kTarXz, {{"bomb.bin", std::string(5 << 20, '\0')}, {"a.cu"}}), 1,
                      limits)),
      Lines{"all: it unpacks to more than 1 MiB"});
}

TEST(ReadArchive, OpensArchivesInsideOnceAndSaysWhereItDoesNot) {
  const std::string innermost = pack(Format::kZip, {{"z.cu", "z"}});
  const std::string inner = pack(Format::kTarGz, {{"src/y.cu", "y"}, {"z.zip", innermost}});
  const std::string outer =
      pack(Format::kZip, {{"ann.tgz", inner}, {"bob.zip", "no archive"}, {"cy.cu", "c"}});
  EXPECT_EQ(lines_of(unpack(outer, 2)),
            (Lines{"ann.tgz/src/y.cu: y",
                   "ann.tgz/z.zip! z.zip lies in an archive itself, and is not opened",
                   "bob.zip! bob.zip is no archive that the grader opens (zip, tar, tar.gz, "
                   "tar.xz, tar.zst, "
                   "tar.bz2)",
                   "cy.cu: c", "ann.tgz/"}));
}

TEST(ReadArchive, SurvivesDamageAnywhere) {
  for (const Format format : {Format::kZip, Format::kTarGz}) {
    const std::string whole =
        pack(format, {{"a/x.cu", "int x;"}, {"list.yml", std::string(300, 'l')}});
    for (size_t at = 0; at < whole.size(); at += 7) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      unpack(damaged, 2);
      unpack(whole.substr(0, at), 2);
    }
  }
  EXPECT_EQ(lines_of(unpack("")), Lines{"all: it is no archive that the grader opens (zip, tar, "
                                        "tar.gz, tar.xz, tar.zst, tar.bz2)"});
}

TEST(UnpackedRecords, ComeBackAsTheyWere) {
  const UnpackedArchive unpacked{
      {{"a/\n1 2.cu", "int x;\n", {}, Moment{5, 0}},
       {"b", "", {"intake.link", {{"name", "b"}}}},
       {"c.cu", "", {"intake.too_large", {{"bytes", "9"}, {"name", "c.cu"}}}}},
      {"a"},
      {"note"},
      {"intake.damaged_because", {{"name", "it"}, {"why", "truncated"}}},
      {}};
  const Result<UnpackedArchive> again = parse_unpacked(format_unpacked(unpacked));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->files, unpacked.files);
  EXPECT_EQ(again->folders, unpacked.folders);
  EXPECT_EQ(again->notes, unpacked.notes);
  EXPECT_EQ(again->refusal, unpacked.refusal);
}

TEST(UnpackedRecords, SayNothingThatAnArchiveCannotBeRefusedFor) {
  for (const char* const id : {"item.everything", "intake.absent", "", "no.such"}) {
    const UnpackedArchive unpacked{{{"a.cu", "", {id[0] == '\0' ? " " : id, {{"name", "a.cu"}}}}}};
    EXPECT_FALSE(parse_unpacked(format_unpacked(unpacked)).ok()) << id;
  }
}

TEST(UnpackedRecords, AreRefusedWhereTheyAreTornOrLeaveTheirFolder) {
  const std::string whole = format_unpacked({{{"a.cu", "int x;", {}}}});
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_unpacked(whole.substr(0, size)).ok()) << size;
  EXPECT_FALSE(parse_unpacked(whole + "x").ok());
  EXPECT_EQ(parse_unpacked("warpgrade-unpack 1\nN 0 4 0\n\x1b[2JE 0 0 0\n")->notes,
            Lines{printable("\x1b[2J")});
  EXPECT_FALSE(parse_unpacked("warpgrade-unpack 1\nF 4 0 0\n../aE 0 0 0\n").ok());
  EXPECT_FALSE(parse_unpacked("warpgrade-unpack 1\nF 99999999999999999999 0 0\nE 0 0 0\n").ok());
  EXPECT_FALSE(parse_unpacked("warpgrade-unpack 1\nF 3 18446744073709551615 0\na.cE 0 0 0\n").ok());
}

/// A folder that students' programs may enter.
class UnpackInSandbox : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-unpack-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::chmod(name.c_str(), 0711);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  const LocalSandbox sandbox_ = best_sandbox();
};

TEST_F(UnpackInSandbox, ReadsADownloadAndTheArchivesOfItsStudents) {
  const auto unpacker = SandboxUnpacker::make(sandbox_, WARPGRADE_UNPACK, folder_, {".cu"});
  ASSERT_TRUE(unpacker.ok()) << unpacker.error().message;
  FakeFiles files;
  const std::string work = pack(Format::kZip, {{"lab/matmul.cu", "int b;"}});
  files.contents["/lab.zip"] = pack(Format::kZip, {{"submissions/doeann_1_2_matmul.cu", "int a;"},
                                                   {"submissions/leebob_3_4_lab.zip", work},
                                                   {"submissions/kaycy_5_6_lab.zip", "damaged"}});
  files.contents["/class/bob.zip"] = work;
  files.contents["/class/cy.tar.gz"] = "damaged";
  const IntakeOptions options{"matmul.cu", {}, nullptr, unpacker->get(), 2};
  const auto summary = [&](const char* path) {
    const Result<Submissions> read = read_submissions(files, path, options);
    if (!read) return Lines{read.error().message};
    Lines lines;
    for (const Submission& each : read->all)
      lines.push_back(each.student + ": " + each.source + each.problem.text + each.system_error);
    return lines;
  };
  const std::string no_archive =
      " is no archive that the grader opens (zip, tar, tar.gz, tar.xz, tar.zst, tar.bz2)";
  EXPECT_EQ(summary("/lab.zip"), (Lines{"doeann_1: int a;", "leebob_3: int b;",
                                        "kaycy_5: kaycy_5_6_lab.zip" + no_archive}));
  EXPECT_EQ(summary("/class"), (Lines{"bob: int b;", "cy: cy.tar.gz" + no_archive}));
  EXPECT_EQ(summary("/class/bob.zip"), Lines{"bob: int b;"});
  EXPECT_EQ(summary("/class/cy.tar.gz"), Lines{"/class/cy.tar.gz" + no_archive});
}

TEST_F(UnpackInSandbox, CallsAMissingProgramTheMachinesFault) {
  EXPECT_FALSE(SandboxUnpacker::make(sandbox_, "/nowhere/warpgrade-unpack", folder_, {}).ok());
}

}  // namespace
}  // namespace warpgrade
