// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>

#include "sandbox/descriptor.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {

/// One bubblewrap for many commands: see room_supervisor.cpp. A command that is stopped, or that
/// brings the room down, costs the room; the next one gets another. Used by one thread.
class BubblewrapRoom final : public Room {
 public:
  /// Commands run as `user`; none: as who we are. `each` runs single commands where no room holds.
  /// `groups` may be null.
  BubblewrapRoom(Command view, fs::path supervisor, std::optional<uid_t> user,
                 const LocalSandbox& each, std::shared_ptr<ControlGroups> groups)
      : view_(std::move(view)),
        supervisor_(std::move(supervisor)),
        user_(user),
        each_(each),
        groups_(std::move(groups)) {}
  ~BubblewrapRoom() override { close(); }
  BubblewrapRoom(const BubblewrapRoom&) = delete;
  BubblewrapRoom& operator=(const BubblewrapRoom&) = delete;

  ProcessOutcome run(const Command& command) override;

 private:
  Status open();
  void close();
  bool is_ready();
  bool send(const Command& command, int out, int err);
  ProcessOutcome finish(const Command& command, ProcessOutcome outcome);

  Command view_;
  fs::path supervisor_;
  std::optional<uid_t> user_;
  const LocalSandbox& each_;
  std::shared_ptr<ControlGroups> groups_;
  GroupLease group_;
  pid_t process_ = -1;
  Descriptor control_;
  bool lost_ = false;  ///< a command brought a room down: from then on each gets its own sandbox
};

}  // namespace warpgrade
