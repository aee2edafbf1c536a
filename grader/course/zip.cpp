// SPDX-License-Identifier: MIT
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>

#include "course/handout.h"

namespace warpgrade {
namespace {

struct Close {
  void operator()(archive* zip) const { archive_write_free(zip); }
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

bool write_entry(archive* zip, const std::string& name, const std::string& text) {
  const std::unique_ptr<archive_entry, Close> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), text.starts_with("#!") ? 0755 : 0644);
  return archive_write_header(zip, entry.get()) == ARCHIVE_OK &&
         archive_write_data(zip, text.data(), text.size()) == static_cast<la_ssize_t>(text.size());
}

}  // namespace

Status write_zip(const FileTree& tree, const fs::path& to) {
  const std::unique_ptr<archive, Close> zip(archive_write_new());
  const auto failed = [&] {
    const char* why = archive_error_string(zip.get());
    return Error{fmt::format("cannot write {}: {}", to.string(), why == nullptr ? "unknown" : why)};
  };
  if (archive_write_set_format_zip(zip.get()) != ARCHIVE_OK ||
      archive_write_open_filename(zip.get(), to.c_str()) != ARCHIVE_OK)
    return failed();
  for (const auto& [path, text] : tree) {
    if (!write_entry(zip.get(), (to.stem() / path).string(), text)) return failed();
  }
  return archive_write_close(zip.get()) == ARCHIVE_OK ? Status() : failed();
}

}  // namespace warpgrade
