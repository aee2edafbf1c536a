// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace warpgrade {

constexpr const char* kPatchExtension = ".patch";

/// The whole program that the staff keeps in a file. NAME.cu holds it; NAME.patch holds header lines (`//`)
/// and the hunks that turn a base into it. The base is `model_answer`, or the file beside it that the last header line
/// names: `// base: accepted/two-launches.cu`. The header, without that line, takes the place of the comment lines at the
/// base's top; the licence line among them stays. The Error is `path:line: error: ...`.
Result<std::string> read_program(const Files& files, const fs::path& model_answer,
                                 const fs::path& path);

/// The file in mutants/ or exploits/ beside `model_answer` that holds the wrong answer `name`: NAME.patch, or NAME with
/// `model_answer`'s extension. An Error where there is none, or more than one.
Result<fs::path> find_mutant(const Files& files, const fs::path& model_answer,
                             const std::string& name);

}  // namespace warpgrade
