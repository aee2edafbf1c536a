// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/waiting_kernels.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "emulator/runtime/stream/stream_launch.h"

namespace warpgrade::emulator {
namespace {

/// How often, and at what distance, a call that waits looks whether another thread of the program has done what the
/// kernels wait for.
constexpr int kMostLooks = 200;
constexpr std::chrono::microseconds kLookAgainEvery{50};
/// The same where the program has other threads, which may be about to make a call: two seconds after the last one.
constexpr int kMostLooksBesideThreads = 40'000;

bool waits_for_default_stream(const CUstream_st& stream) {
  return stream.id != 0 && (stream.flags & cudaStreamNonBlocking) == 0;
}

/// CUDA Programming Guide, "Implicit Synchronization": the default stream and blocking streams of its device.
bool comes_after(const CUstream_st& next, const CUstream_st& running) {
  if (&next == &running) return true;
  if (next.device != running.device) return false;
  return (next.id == 0 && waits_for_default_stream(running)) ||
         (running.id == 0 && waits_for_default_stream(next));
}

}  // namespace

WaitingKernels::WaitingKernels() = default;
WaitingKernels::~WaitingKernels() = default;

void WaitingKernels::add(std::unique_ptr<StreamLaunch> launch) {
  launches_.push_back(std::move(launch));
  count_ = launches_.size();
}

bool WaitingKernels::has(const Wanted& wanted) const {
  return std::any_of(launches_.begin(), launches_.end(),
                     [&](const auto& launch) { return wanted(*launch); });
}

void WaitingKernels::finish_at(ApiCall& call, size_t index) {
  const std::unique_ptr<StreamLaunch> ended = std::move(launches_[index]);
  launches_.erase(launches_.begin() + static_cast<long>(index));
  count_ = launches_.size();
  std::vector<const StreamLaunch*> beside;
  for (const auto& launch : launches_) beside.push_back(launch.get());
  ended->finish(call, beside);
}

bool WaitingKernels::take_turns(ApiCall& call) {
  bool went_on = false;
  for (bool goes_on = true; std::exchange(goes_on, false);) {
    for (size_t index = 0; index < launches_.size();) {
      LaunchUnderWay& launch = launches_[index]->under_way();
      const bool has_ended = launch.has_ended() || launch.run(true);
      goes_on |= launch.went_on();
      if (has_ended)
        finish_at(call, index);
      else
        ++index;
    }
    went_on |= goes_on;
  }
  return went_on;
}

void WaitingKernels::take_turns_unseen() {
  for (const auto& launch : launches_) {
    if (!launch->under_way().has_ended()) launch->under_way().run(true);
  }
}

void WaitingKernels::finish(ApiCall& call, const Wanted& wanted) {
  uint64_t calls = call.machine().calls;
  for (int looks = 0, most = kMostLooks; has(wanted);) {
    if (take_turns(call)) {
      looks = 0;
      continue;
    }
    if (std::exchange(calls, call.machine().calls) != call.machine().calls) looks = 0;
    if (++looks == kMostLooks && host().has_other_threads()) most = kMostLooksBesideThreads;
    if (looks < most) {
      call.call_back([] { std::this_thread::sleep_for(kLookAgainEvery); });
    } else {
      looks = 0;
      const auto first = std::find_if(launches_.begin(), launches_.end(),
                                      [&](const auto& launch) { return wanted(*launch); });
      (*first)->under_way().run(false);
      finish_at(call, static_cast<size_t>(first - launches_.begin()));
    }
  }
}

bool WaitingKernels::hold(const CUstream_st& stream) const {
  return has([&](const StreamLaunch& launch) { return comes_after(stream, launch.stream()); });
}

void WaitingKernels::finish_before(ApiCall& call, const CUstream_st& stream) {
  finish(call, [&](const StreamLaunch& launch) { return comes_after(stream, launch.stream()); });
}

void WaitingKernels::finish_on(ApiCall& call, int device) {
  finish(call, [device](const StreamLaunch& launch) { return launch.device() == device; });
}

void WaitingKernels::finish_all(ApiCall& call) {
  finish(call, [](const StreamLaunch&) { return true; });
}

void finish_waiting_kernels() {
  if (!kernels_wait()) return;
  ApiCall call("the program's end");
  call.leave_no_record();
  call.machine().waiting_kernels.finish_all(call);
}

void let_waiting_kernels_go_on() {
  Machine* const machine = made_machine();
  if (machine == nullptr) return;
  const std::unique_lock lock(machine->mutex, std::try_to_lock);
  if (lock.owns_lock()) machine->waiting_kernels.take_turns_unseen();
}

bool kernels_wait() {
  const Machine* const machine = made_machine();
  return machine != nullptr && !machine->waiting_kernels.empty();
}

}  // namespace warpgrade::emulator
