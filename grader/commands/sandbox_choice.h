// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "pipeline/installation.h"

namespace warpgrade {

/// Why no sandbox works here, and what the user can do about it.
struct SandboxTrouble {
  std::string why;
  std::string remedy;
};
/// From what the machine says; `error` is bubblewrap's own.
SandboxTrouble sandbox_trouble(bool has_bubblewrap, bool apparmor_restricts,
                               const std::string& error);

/// Whether bubblewrap is installed, and whether AppArmor keeps ordinary users from user namespaces.
bool has_bubblewrap();
bool apparmor_restricts_namespaces();

/// What a command that runs programs asks of the sandbox.
enum class SandboxNeed {
  kNone,  ///< it runs none but the course's own
  kOwnProgram,  ///< the user's own program: without a sandbox it is run all the same, after a word about that
  kRequired  ///< programs of others: without a sandbox they are not run, unless the user says so
};

/// Puts the sandbox that `need` asks for into the installation. `unsafe` is the user's --unsafe-no-sandbox. An Error says
/// why there is none, with the remedy.
Status choose_sandbox(SandboxNeed need, bool unsafe, const fs::path& supervisor,
                      Installation& installation);

}  // namespace warpgrade
