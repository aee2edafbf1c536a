// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "build/builder.h"
#include "pipeline/installation.h"

namespace warpgrade {

/// Every header beside the contract, by its bare name.
Result<std::map<std::string, std::string>> read_headers(const fs::path& folder);

/// An assignment's driver, with all headers of ours that it may include.
Result<SourceFile> read_driver(const Paths& paths, const std::string& slug);

/// Compiles the driver to `object`, and its key to `object` + ".key": what the build does ahead of
/// any grading.
Status prebuild_driver(const Installation& installation, const std::string& slug,
                       const fs::path& object);

/// Copies the object that the build made, or that an earlier run kept, to `object`. False where there is none of this key.
bool take_prebuilt_driver(const Paths& paths, const std::string& slug, const std::string& key,
                          const fs::path& object);

/// Keeps a compiled driver in the cache for later runs.
void keep_driver(const Paths& paths, const std::string& key, const fs::path& object);

}  // namespace warpgrade
