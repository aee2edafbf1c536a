// SPDX-License-Identifier: MIT
#include "commands/sandbox_choice.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {

bool has_bubblewrap() { return RealFiles().exists("/usr/bin/bwrap"); }

bool apparmor_restricts_namespaces() {
  std::string setting;
  std::ifstream("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") >> setting;
  return setting == "1";
}

SandboxTrouble sandbox_trouble(bool has_bubblewrap, bool apparmor_restricts,
                               const std::string& error) {
  if (!has_bubblewrap) return {"bubblewrap is not installed", "apt-get install bubblewrap"};
  if (apparmor_restricts)
    return {"AppArmor forbids bubblewrap its user namespaces (as Ubuntu 24.04 does)",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for "
            "/usr/bin/bwrap that allows userns"};
  return {fmt::format("bubblewrap does not work ({})", printable(trim(error))),
          "sysctl -w user.max_user_namespaces=10000; in a container: run it with user namespaces "
          "allowed"};
}

Status choose_sandbox(SandboxNeed need, bool unsafe, const fs::path& supervisor,
                      Installation& installation) {
  if (need == SandboxNeed::kNone) return {};
  Result<LocalSandbox> sandbox = open_sandbox(supervisor);
  if (sandbox) {
    installation.sandbox = std::move(*sandbox);
    return {};
  }
  const SandboxTrouble trouble =
      sandbox_trouble(has_bubblewrap(), apparmor_restricts_namespaces(), sandbox.error().message);
  if (need == SandboxNeed::kRequired && !unsafe)
    return Error{say("sandbox.refused", {{"why", trouble.why}, {"remedy", trouble.remedy}}).text};
  installation.sandbox = open_limits();
  installation.is_unsafe = need == SandboxNeed::kRequired;
  const Sentence note = say(installation.is_unsafe ? "sandbox.unsafe_run" : "sandbox.own_program",
                            {{"why", trouble.why}});
  fmt::print(stderr, "{}\n", note.text);
  return {};
}

}  // namespace warpgrade
