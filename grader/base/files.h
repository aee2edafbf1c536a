// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "base/result.h"

namespace warpgrade {

namespace fs = std::filesystem;

/// What lay at a place that someone untrusted could write to.
struct UntrustedFile {
  std::string contents;
  Refusal refusal;  ///< Why it was not read (missing, a link, not a file, too large).
};

/// The file system as the grader sees it: one real implementation, one in memory for tests
/// (testing/fake_files.h).
class Files {
 public:
  virtual ~Files() = default;

  /// Whole contents; an Error where `path` is not a readable regular file or is larger than
  /// `limit_bytes`.
  virtual Result<std::string> read(const fs::path& path, size_t limit_bytes = 1u << 30) const = 0;

  /// Reads `inside`/`relative` without following a link in any part of `relative` and without opening
  /// a FIFO or a device. An Error is the machine's own failure, or a file that has several names.
  virtual Result<UntrustedFile> read_untrusted(const fs::path& inside, const fs::path& relative,
                                               size_t limit_bytes) const = 0;

  /// Durable replacement: temporary file, fsync, rename, fsync of the directory. Makes missing
  /// parent folders.
  virtual Status write(const fs::path& path, std::string_view contents) = 0;

  virtual bool exists(const fs::path& path) const = 0;
  virtual bool is_folder(const fs::path& path) const = 0;

  /// Names (not paths) in a folder, sorted; an Error where it cannot be listed.
  virtual Result<std::vector<std::string>> list(const fs::path& folder) const = 0;
};

/// The machine's own file system.
class RealFiles final : public Files {
 public:
  Result<std::string> read(const fs::path& path, size_t limit_bytes = 1u << 30) const override;
  Result<UntrustedFile> read_untrusted(const fs::path& inside, const fs::path& relative,
                                       size_t limit_bytes) const override;
  Status write(const fs::path& path, std::string_view contents) override;
  bool exists(const fs::path& path) const override;
  bool is_folder(const fs::path& path) const override;
  Result<std::vector<std::string>> list(const fs::path& folder) const override;
};

}  // namespace warpgrade
