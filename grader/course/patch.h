// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace warpgrade {

/// A text, and where messages say that it stands.
struct NamedText {
  std::string name;  ///< of its file
  std::string text;
  size_t first_line = 1;  ///< number of the text's first line in that file
};

/// `base` with every hunk of `patch` applied. A hunk is a line `@@ -LINE,COUNT +LINE,COUNT @@` and the lines of
/// a unified diff: ' ' (or nothing at all) before a line of context, '-' before a line that the base alone has, '+'
/// before one that the result alone has. The context and the '-' lines must stand together in the base exactly once,
/// below the hunk before; the COUNTs must be right; the LINEs are for readers. The Error is `name:line: error: ...`
/// with a remedy, about the patch's first mistake.
Result<std::string> apply_patch(const NamedText& base, const NamedText& patch);

}  // namespace warpgrade
