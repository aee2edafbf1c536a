// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "sandbox/control_group.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// kNone keeps the limits only, for our own programs: same user, whole machine in view.
enum class SandboxBackend { kBubblewrap, kRlimits, kNone };

/// The sandbox of this machine. As root, each slot's commands run as an unprivileged user of their
/// own.
class LocalSandbox final : public Sandbox {
 public:
  /// `supervisor` is the program room-supervisor; without one each command gets its own sandbox. `groups` hold each
  /// command as a whole; null: it is watched instead.
  explicit LocalSandbox(SandboxBackend backend, fs::path supervisor = {},
                        std::shared_ptr<ControlGroups> groups = nullptr)
      : backend_(backend), supervisor_(std::move(supervisor)), groups_(std::move(groups)) {}

  ProcessOutcome run(const Command& command) const override;
  std::unique_ptr<Room> open(const Command& view) const override;
  bool hand_over(const fs::path& path, int slot) const override;
  std::string name() const override;
  std::string limits() const override { return groups_ ? groups_->name() : Sandbox::limits(); }

 private:
  SandboxBackend backend_;
  fs::path supervisor_;
  std::shared_ptr<ControlGroups> groups_;
};

/// bubblewrap with the machine's control groups. An Error where it starts no command here: why, in bubblewrap's
/// words.
Result<LocalSandbox> open_sandbox(const fs::path& supervisor = {});

/// Limits without a sandbox, with the machine's control groups: for programs that the user trusts.
LocalSandbox open_limits();

/// Memory of all that a command and its sandbox hold, files in its writable folders included.
size_t group_limit_bytes(const ProcessLimits& limits);

/// Sets a group to a command's limits.
Status limit_group(const GroupLease& group, const ProcessLimits& limits);

}  // namespace warpgrade
