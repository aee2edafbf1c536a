// SPDX-License-Identifier: MIT
#include "commands/stop.h"

#include <csignal>

namespace warpgrade {
namespace {

constexpr int kEndedBySignal = 128;

volatile std::sig_atomic_t stop_signal = 0;

void note_stop(int signal) {
  stop_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void note_stop_signals() {
  std::signal(SIGINT, note_stop);
  std::signal(SIGTERM, note_stop);
}

bool is_stopped() { return stop_signal != 0; }

int stopped_status() { return kEndedBySignal + stop_signal; }

}  // namespace warpgrade
