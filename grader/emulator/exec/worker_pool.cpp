// SPDX-License-Identifier: MIT
#include "emulator/exec/worker_pool.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iterator>

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostKeptBytes = size_t{8} << 20;
/// For how long a thread looks for what it waits for before it sleeps: about what the host's part
/// of launching one small kernel after another takes. Waking up takes longer.
constexpr std::chrono::microseconds kPatience{100};

/// Gives way to other threads between looks, so that a busy machine loses nothing.
template <class Holds>
void look_for(Holds holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// Bytes of registers that the frame has room for.
uint64_t room_of(const Frame& frame) {
  return frame.function == nullptr ? frame.stack_bytes : frame.function->frame_bytes;
}

size_t bytes_of(const Block& block) {
  size_t bytes = block.shared.capacity();
  for (const Warp& warp : block.warps) {
    bytes += warp.local.capacity() + warp.local_written.capacity();
    for (const auto* frames : {&warp.frames, &warp.spare_frames}) {
      for (const auto& frame : *frames) bytes += room_of(*frame);
    }
  }
  return bytes;
}

/// So that nothing of this launch is taken for the next one's.
void forget(Block& block) {
  block.watch.reset();
  for (Warp& warp : block.warps) {
    std::move(warp.frames.begin(), warp.frames.end(), std::back_inserter(warp.spare_frames));
    warp.frames.clear();
    warp.groups.clear();
    warp.local.clear();
    warp.local_written.clear();
    warp.undefined.reset();
    for (const auto& frame : warp.spare_frames) {
      frame->stack_bytes = room_of(*frame);
      frame->function = nullptr;
    }
  }
}

}  // namespace

struct WorkerPool::State {
  std::mutex mutex;
  std::condition_variable begins, ends;
  const std::function<void(unsigned)>* task = nullptr;
  std::atomic<uint64_t> round{0};
  unsigned count = 0;
  std::atomic<unsigned> running{0};
  std::atomic<bool> stopped{false};
};

WorkerPool::WorkerPool() : state_(std::make_unique<State>()), process_(::getpid()) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
  }
  state_->begins.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::serve(State& state, unsigned index, uint64_t seen) {
  const auto begins = [&] { return state.stopped || state.round != seen; };
  while (true) {
    look_for(begins);
    std::unique_lock lock(state.mutex);
    state.begins.wait(lock, begins);
    if (state.stopped) return;
    seen = state.round;
    if (index >= state.count) continue;
    lock.unlock();
    (*state.task)(index);
    lock.lock();
    if (--state.running == 0) state.ends.notify_one();
  }
}

void WorkerPool::start_threads(unsigned count) {
  if (process_ != ::getpid()) {
    // A fork has no threads but the one that forked; what they used is left as it is.
    state_.release();
    state_ = std::make_unique<State>();
    for (std::thread& thread : threads_) thread.detach();
    threads_.clear();
    process_ = ::getpid();
  }
  while (threads_.size() + 1 < count) {
    const auto index = static_cast<unsigned>(threads_.size() + 1);
    threads_.emplace_back(serve, std::ref(*state_), index, state_->round.load());
  }
}

void WorkerPool::run(unsigned count, const std::function<void(unsigned)>& task) {
  if (count > 1) {
    start_threads(count);
    const std::lock_guard lock(state_->mutex);
    state_->task = &task;
    state_->count = count;
    state_->running = count - 1;
    ++state_->round;
  }
  if (count > 1) state_->begins.notify_all();
  task(0);
  if (count == 1) return;
  const auto ended = [&] { return state_->running == 0; };
  look_for(ended);
  std::unique_lock lock(state_->mutex);
  state_->ends.wait(lock, ended);
}

std::list<Block>& WorkerPool::kept(unsigned index) {
  while (blocks_.size() <= index) blocks_.emplace_back();
  return *std::next(blocks_.begin(), index);
}

void WorkerPool::keep(unsigned index, std::list<Block>& blocks) {
  std::list<Block>& kept = *std::next(blocks_.begin(), index);
  if (!kept.empty() || blocks.empty() || bytes_of(blocks.front()) > kMostKeptBytes) return;
  forget(blocks.front());
  kept.splice(kept.end(), blocks, blocks.begin());
}

}  // namespace warpgrade::emulator
