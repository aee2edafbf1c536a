// SPDX-License-Identifier: MIT
#include "testing/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"

namespace warpgrade {

::testing::AssertionResult matches_golden(std::string_view text, std::string_view name) {
  const char* folder = std::getenv("WARPGRADE_GOLDEN");
  const fs::path path = fs::path(folder ? folder : "golden") / name;
  RealFiles files;
  if (std::getenv("WARPGRADE_UPDATE_GOLDEN") != nullptr) {
    const Status written = files.write(path, text);
    return written ? ::testing::AssertionSuccess()
                   : ::testing::AssertionFailure() << written.error().message;
  }
  const Result<std::string> golden = files.read(path);
  if (!golden) return ::testing::AssertionFailure() << golden.error().message;
  if (*golden == text) return ::testing::AssertionSuccess();
  const std::vector<std::string> wanted = split(*golden, '\n'), got = split(text, '\n');
  const size_t shorter = std::min(wanted.size(), got.size());
  size_t line = 0;
  while (line < shorter && wanted[line] == got[line]) ++line;
  const auto at = [&](const std::vector<std::string>& lines) {
    return line < lines.size() ? lines[line] : "(end of the text)";
  };
  return ::testing::AssertionFailure() << fmt::format(
             "{}:{} differs\n  golden: {}\n  now:    {}\nWARPGRADE_UPDATE_GOLDEN=1 rewrites it.",
             path.string(), line + 1, at(wanted), at(got));
}

}  // namespace warpgrade
