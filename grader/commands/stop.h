// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

/// From now on the first SIGINT or SIGTERM is only noted, so that what is in work can be finished and its
/// folders cleared; a second one ends it all.
void note_stop_signals();

/// Whether one came.
bool is_stopped();

/// The exit status of a command that was stopped, as a shell gives it.
int stopped_status();

}  // namespace warpgrade
