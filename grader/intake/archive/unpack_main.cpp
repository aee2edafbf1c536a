// SPDX-License-Identifier: MIT
//
// warpgrade-unpack ARCHIVE OUT LEVELS KEEP...: writes what an archive holds to OUT. The grader runs it in the sandbox, so that
// no archive that a student made is parsed outside of it. Nothing is unpacked to the disk: a name in an archive never
// becomes the name of a file.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "intake/archive/read_archive.h"
#include "intake/archive/record.h"

namespace {

/// A whole class is larger than what one student hands in.
warpgrade::ArchiveLimits limits_of(int levels) {
  warpgrade::ArchiveLimits limits;
  if (levels > 1) {
    limits.files = 200'000;
    limits.kept_bytes = size_t{512} << 20;
    limits.skipped_bytes = size_t{8} << 30;
  }
  return limits;
}

int unpack(const char* from, const char* to, int levels, const std::vector<std::string>& keep) {
  std::ifstream in(from, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", from);
    return 1;
  }
  const std::string archive{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::ofstream out(to, std::ios::binary);
  out << warpgrade::format_unpacked(
      warpgrade::read_archive(archive, keep, limits_of(levels), levels));
  return out.flush() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: %s ARCHIVE OUT LEVELS KEEP...\n", words[0]);
    return 2;
  }
  // libarchive converts the names of files to the locale's characters.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  try {
    return unpack(words[1], words[2], std::atoi(words[3]), {words + 4, words + count});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
