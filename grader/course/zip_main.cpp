// SPDX-License-Identifier: MIT
//
// warpgrade-zip FOLDER FILE.zip [TOP]: packs a folder with all that is in it, below TOP. A program of its own, since libarchive loads 35 MB of
// libraries that no student needs.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(archive* zip) const { archive_write_free(zip); }
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

bool write_entry(archive* zip, const std::string& name, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream bytes;
  struct stat info {};
  if (!(bytes << in.rdbuf()) || ::stat(file.c_str(), &info) != 0) return false;
  const std::string text = bytes.str();
  const std::unique_ptr<archive_entry, Close> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), (info.st_mode & S_IXUSR) != 0 ? 0755 : 0644);
  return archive_write_header(zip, entry.get()) == ARCHIVE_OK &&
         archive_write_data(zip, text.data(), text.size()) == static_cast<la_ssize_t>(text.size());
}

/// In the order of names, so that the same folder gives the same bytes.
bool pack(const fs::path& folder, const fs::path& to, const fs::path& top, archive* zip) {
  if (archive_write_set_format_zip(zip) != ARCHIVE_OK ||
      archive_write_open_filename(zip, to.c_str()) != ARCHIVE_OK)
    return false;
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder));
  }
  for (const fs::path& file : files) {
    if (!write_entry(zip, (top / file).string(), folder / file)) return false;
  }
  return archive_write_close(zip) == ARCHIVE_OK;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4) {
    std::fprintf(stderr, "usage: %s FOLDER FILE.zip [TOP]\n", words[0]);
    return 2;
  }
  const std::unique_ptr<archive, Close> zip(archive_write_new());
  try {
    if (pack(words[1], words[2], count == 4 ? words[3] : "", zip.get())) return 0;
  } catch (const fs::filesystem_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  const char* const why = archive_error_string(zip.get());
  std::fprintf(stderr, "cannot write %s: %s\n", words[2],
               why == nullptr ? "a file cannot be read" : why);
  return 1;
}
