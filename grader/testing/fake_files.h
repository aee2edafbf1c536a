// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/files.h"

namespace warpgrade {

/// A file system in memory. A folder is there where a path leads through it or `folders` names it.
class FakeFiles final : public Files {
 public:
  std::map<std::string, std::string>
      contents;                   ///< By path, spelled as the code under test spells it.
  std::set<std::string> folders;  ///< Empty ones.
  std::set<std::string> links;    ///< Paths that read_untrusted refuses as links.
  std::set<std::string> broken;   ///< Paths that this machine fails to read or write.

  Result<std::string> read(const fs::path& path, size_t limit_bytes = 1u << 30) const override;
  Result<UntrustedFile> read_untrusted(const fs::path& inside, const fs::path& relative,
                                       size_t limit_bytes) const override;
  Status write(const fs::path& path, std::string_view text) override;
  bool exists(const fs::path& path) const override;
  bool is_folder(const fs::path& path) const override;
  Result<std::vector<std::string>> list(const fs::path& folder) const override;
};

}  // namespace warpgrade
