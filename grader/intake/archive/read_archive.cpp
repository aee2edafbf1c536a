// SPDX-License-Identifier: MIT
#include "intake/archive/read_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "intake/archive/archive_name.h"
#include "intake/archive/record.h"

namespace warpgrade {
namespace {

constexpr size_t kBlockBytes = 64 << 10;

struct Close {
  void operator()(archive* open) const { archive_read_free(open); }
};
using Archive = std::unique_ptr<archive, Close>;

Archive new_archive() {
  Archive open(archive_read_new());
  archive_read_support_filter_gzip(open.get());
  archive_read_support_filter_bzip2(open.get());
  archive_read_support_filter_xz(open.get());
  archive_read_support_filter_zstd(open.get());
  archive_read_support_format_zip(open.get());
  archive_read_support_format_tar(open.get());
  return open;
}

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  return name == nullptr ? "" : name;
}

/// The id of why an entry is no file of its own; empty where it is one.
std::string why_refused(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) == AE_IFLNK)
    return "intake.link";
  if (archive_entry_filetype(entry) != AE_IFREG) return "intake.irregular";
  return archive_entry_is_encrypted(entry) != 0 ? "intake.encrypted" : "";
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return text;
}

/// Reads one archive from its first entry to its last, or to where it goes too far.
class Reading {
 public:
  Reading(const std::vector<std::string>& keep, const ArchiveLimits& limits, int levels)
      : keep_(keep), limits_(limits), levels_(levels) {}

  UnpackedArchive read(std::string_view bytes) {
    archive_ = new_archive();
    if (archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
      return refused({"intake.no_archive"});
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    while (out_.refusal.empty() &&
           (status = archive_read_next_header(archive_.get(), &entry)) != ARCHIVE_EOF) {
      if (status < ARCHIVE_WARN) return refused(damaged());
      if (++files_ > limits_.files)
        return refused({"intake.too_many_files", {{"files", std::to_string(limits_.files)}}});
      take(entry);
    }
    if (!out_.refusal.empty()) return refused(out_.refusal);
    return std::move(out_);
  }

 private:
  static UnpackedArchive refused(const Refusal& why) {
    UnpackedArchive unpacked;
    unpacked.refusal = why;
    return unpacked;
  }

  Refusal damaged() const {
    const char* text = archive_error_string(archive_.get());
    if (text == nullptr) return {"intake.damaged"};
    return {"intake.damaged_because", {{"why", printable(text)}}};
  }

  static Refusal of(const std::string& name, Refusal refusal) {
    if (!refusal.empty()) refusal.args["name"] = name;
    return refusal;
  }

  static Refusal unpacks_to_more_than(size_t bytes) {
    return {"intake.unpacks_to_more", {{"mebibytes", std::to_string(bytes >> 20)}}};
  }

  void take(archive_entry* entry) {
    const std::string name = name_of(entry);
    const std::optional<fs::path> path = safe_path(name);
    if (!path) {
      if (trim(name) != "./" && trim(name) != ".")
        out_.notes.push_back(fmt::format("'{}' was left out: the path leaves the archive's folder",
                                         printable(name.substr(0, 200))));
      return;
    }
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      out_.folders.push_back(*path);
      return;
    }
    ArchivedFile file{*path, {}};
    const std::string why = why_refused(entry);
    if (archive_entry_mtime_is_set(entry) != 0)
      file.written = Moment{archive_entry_mtime(entry), 0};
    const std::string called = printable(path->filename().string());
    if (!why.empty())
      file.refusal = of(called, {why});
    else if (is_archive(*path))
      return take_inner(std::move(file));
    else if (is_kept(*path))
      file.refusal = of(called, read_into(file.contents, limit_of(*path)));
    else
      skip();
    out_.files.push_back(std::move(file));
  }

  void take_inner(ArchivedFile file) {
    const std::string called = printable(file.path.filename().string());
    std::string bytes;
    file.refusal =
        of(called, levels_ < 2 ? Refusal{"intake.nested"} : read_into(bytes, limits_.list_bytes));
    if (levels_ < 2) skip();
    if (!file.refusal.empty()) {
      out_.files.push_back(std::move(file));
      return;
    }
    UnpackedArchive inner = Reading(keep_, ArchiveLimits{}, levels_ - 1).read(bytes);
    if (!inner.refusal.empty()) {
      file.refusal = of(called, inner.refusal);
      out_.files.push_back(std::move(file));
      return;
    }
    out_.folders.push_back(file.path);
    for (ArchivedFile& each : inner.files) {
      each.path = file.path / each.path;
      out_.files.push_back(std::move(each));
    }
    for (const fs::path& folder : inner.folders) out_.folders.push_back(file.path / folder);
    for (const std::string& note : inner.notes)
      out_.notes.push_back(printable(file.path.string()) + ": " + note);
  }

  bool is_kept(const fs::path& path) const {
    const std::string name = lower(path.filename().string());
    return std::any_of(keep_.begin(), keep_.end(), [&](const std::string& word) {
      return word.starts_with('.') ? name.ends_with(lower(word)) : name == lower(word);
    });
  }

  size_t limit_of(const fs::path& path) const {
    const bool is_whole_name =
        std::find(keep_.begin(), keep_.end(), path.filename().string()) != keep_.end();
    return is_whole_name ? limits_.list_bytes : limits_.file_bytes;
  }

  /// Why the entry's data is not all in `contents`; empty where it is.
  Refusal read_into(std::string& contents, size_t limit_bytes) {
    la_ssize_t got = 0;
    do {
      const size_t size = contents.size();
      contents.resize(size + kBlockBytes);
      got = archive_read_data(archive_.get(), contents.data() + size, kBlockBytes);
      contents.resize(size + static_cast<size_t>(std::max<la_ssize_t>(got, 0)));
    } while (got > 0 && contents.size() <= limit_bytes);
    if (got < 0) return damaged();
    if (contents.size() > limit_bytes) {
      contents.clear();
      return {"intake.too_large", {{"bytes", std::to_string(limit_bytes)}}};
    }
    kept_bytes_ += contents.size();
    if (kept_bytes_ > limits_.kept_bytes) out_.refusal = unpacks_to_more_than(limits_.kept_bytes);
    return {};
  }

  /// A ZIP says where the next file begins. Whatever was compressed as a whole must be unpacked to be passed over.
  void skip() {
    if ((archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP) return;
    const void* block = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    while (archive_read_data_block(archive_.get(), &block, &size, &offset) == ARCHIVE_OK) {
      skipped_bytes_ += size;
      if (skipped_bytes_ <= limits_.skipped_bytes) continue;
      out_.refusal = unpacks_to_more_than(limits_.skipped_bytes);
      return;
    }
  }

  const std::vector<std::string>& keep_;
  const ArchiveLimits limits_;
  const int levels_;
  Archive archive_;
  UnpackedArchive out_;
  size_t files_ = 0, kept_bytes_ = 0, skipped_bytes_ = 0;
};

}  // namespace

UnpackedArchive read_archive(std::string_view bytes, const std::vector<std::string>& keep,
                             const ArchiveLimits& limits, int levels) {
  return Reading(keep, limits, levels).read(bytes);
}

}  // namespace warpgrade
