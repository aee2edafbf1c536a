// SPDX-License-Identifier: MIT
// By the first byte, the rest is an archive (z), what the sandbox let out of one (u), a roster (r) or a folder of
// submissions (f): lines of a path, a tab and the file's text.

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "intake/archive/read_archive.h"
#include "intake/archive/record.h"
#include "intake/people/roster.h"
#include "intake/submission.h"
#include "testing/fake_files.h"
#include "testing/fuzz/fuzzer.h"

using namespace warpgrade;

namespace {

constexpr ArchiveLimits kLimits{100, 1 << 16, 1 << 20, 1 << 22, 1 << 16};

void check(const UnpackedArchive& unpacked) {
  for (const ArchivedFile& file : unpacked.files) {
    const std::optional<fs::path> safe = safe_path(file.path.string());
    if (!safe || *safe != file.path) std::abort();
  }
}

/// But for the time 0, which the record does not tell from none.
bool is_same(const ArchivedFile& a, const ArchivedFile& b) {
  return a.path == b.path && a.contents == b.contents && a.refusal == b.refusal;
}

void read_as_archive(std::string_view bytes) {
  const UnpackedArchive unpacked = read_archive(bytes, {"a.cu", ".zip", ".yml"}, kLimits, 2);
  check(unpacked);
  const Result<UnpackedArchive> again = parse_unpacked(format_unpacked(unpacked));
  if (!again || !std::equal(again->files.begin(), again->files.end(), unpacked.files.begin(),
                            unpacked.files.end(), is_same))
    std::abort();
}

void read_as_folder(std::string_view text) {
  FakeFiles files;
  for (const std::string& line : split(text, '\n')) {
    const size_t tab = line.find('\t');
    const std::optional<fs::path> path = safe_path(line.substr(0, tab));
    if (path) files.contents["class/" + path->string()] = tab == line.npos ? "" : line.substr(tab);
  }
  const Result<Submissions> read = read_submissions(files, "class", "a.cu");
  if (!read) return;
  std::vector<std::string> students;
  for (const Submission& each : read->all) {
    students.push_back(each.student);
    const bool is_safe = !each.student.empty() && each.student.size() <= 64 &&
                         each.student.find('/') == std::string::npos && each.student[0] != '.';
    if (!is_safe) std::abort();
  }
  std::sort(students.begin(), students.end());
  if (std::adjacent_find(students.begin(), students.end()) != students.end()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'z') read_as_archive(rest);
  if (data[0] == 'u') {
    if (const Result<UnpackedArchive> unpacked = parse_unpacked(rest)) check(*unpacked);
  }
  if (data[0] == 'r') static_cast<void>(parse_roster(rest, "roster.csv"));
  if (data[0] == 'f') read_as_folder(rest);
  return 0;
}
