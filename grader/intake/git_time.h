// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"
#include "base/moment.h"
#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// When the last commit that changed `path`, a file of the clone `repository`, was made, as the student's machine wrote
/// it. Runs git in the sandbox, on a copy of the clone's objects in `folder` without its configuration and its hooks. An
/// Error where git does not know.
Result<Moment> last_commit_time(const Sandbox& sandbox, const fs::path& repository,
                                const fs::path& path, const fs::path& folder);

}  // namespace warpgrade
