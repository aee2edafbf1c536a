// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/runtime/stream/streams.h"

namespace warpgrade::emulator {

class ApiCall;
class StreamLaunch;

/// The kernels that have begun and wait for what the host or work in other streams writes.
///
/// Theory of operation: work runs when it is given. A kernel whose blocks all wait for memory that none of them writes is put
/// aside, and the program goes on. With each later call the kernels look again; what comes after one of them in its stream,
/// or waits for it, first has them take turns until it has ended. Where none of them can go on any more, the first one
/// runs into its limit. So the order of all that runs follows from the program's calls alone.
class WaitingKernels {
 public:
  WaitingKernels();
  ~WaitingKernels();

  /// May be asked without the machine's lock.
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  void add(std::unique_ptr<StreamLaunch> launch);

  /// Has each go on for as long as any can; finishes those that end. Whether any went on.
  bool take_turns(ApiCall& call);
  /// The same without a call of the program: those that end are finished by the next one.
  void take_turns_unseen();

  /// Whether work that the stream is given now comes after one of them.
  bool hold(const CUstream_st& stream) const;
  void finish_before(ApiCall& call, const CUstream_st& stream);
  void finish_on(ApiCall& call, int device);
  void finish_all(ApiCall& call);

 private:
  using Wanted = std::function<bool(const StreamLaunch&)>;
  bool has(const Wanted& wanted) const;
  void finish(ApiCall& call, const Wanted& wanted);
  void finish_at(ApiCall& call, size_t index);

  std::vector<std::unique_ptr<StreamLaunch>> launches_;  ///< in the order in which they began
  std::atomic<size_t> count_{0};
};

/// The program ends, or unloads code: kernels that still wait come to their end or limit first.
void finish_waiting_kernels();
/// The program makes no call, and may wait for what a kernel writes.
void let_waiting_kernels_go_on();
/// Whether any kernel waits.
bool kernels_wait();

}  // namespace warpgrade::emulator
