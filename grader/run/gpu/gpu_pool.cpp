// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpgrade {
namespace {

constexpr std::chrono::milliseconds kPoolPollEvery{5};
constexpr size_t kLargeBytes = size_t{64} << 30;

std::string reasons(const std::map<std::string, std::string>& set_aside) {
  std::string text;
  for (const auto& [uuid, why] : set_aside)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", uuid, why);
  return text;
}

}  // namespace

/// One who waits, in the pool's queue as long as it does.
class GpuPool::Turn {
 public:
  explicit Turn(GpuPool& pool) : pool_(pool) {
    const std::lock_guard lock(pool_.mutex_);
    pool_.queue_.push_back(this);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(pool_.mutex_);
    pool_.queue_.erase(std::find(pool_.queue_.begin(), pool_.queue_.end(), this));
  }

  /// Call with the pool's mutex locked.
  bool has_come() const { return pool_.queue_.front() == this; }

 private:
  GpuPool& pool_;
};

GpuLease::GpuLease(GpuLease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), gpu_(other.gpu_), lock_(std::move(other.lock_)) {}

GpuLease::~GpuLease() {
  if (pool_ != nullptr) pool_->give_back(*gpu_);
}

int GpuPool::most_shared_of(const std::vector<Gpu>& gpus) {
  const bool all_large = std::all_of(
      gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.memory_bytes >= kLargeBytes; });
  return all_large ? 2 * kMostShared : kMostShared;
}

GpuPool::GpuPool(std::vector<Gpu> gpus, fs::path locks, Clock& clock, int most_shared)
    : gpus_(std::move(gpus)),
      locks_(std::move(locks)),
      clock_(clock),
      most_shared_(most_shared),
      jobs_(gpus_.size()) {
  for (const Gpu& gpu : gpus_) {
    if (gpu.compute_mode == "prohibited")
      set_aside_[gpu.uuid] = "its compute mode allows no programs";
  }
}

/// Those that are not set aside, with the fewest jobs first.
std::vector<size_t> GpuPool::candidates() const {
  std::vector<size_t> found;
  for (size_t i = 0; i < gpus_.size(); ++i) {
    if (!set_aside_.contains(gpus_[i].uuid)) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [this](size_t a, size_t b) { return jobs_[a] < jobs_[b]; });
  return found;
}

/// A GPU in this mode refuses a second process.
GpuUse GpuPool::use_of(const Gpu& gpu, GpuUse wanted) const {
  return gpu.compute_mode == "exclusive_process" ? GpuUse::kExclusive : wanted;
}

std::optional<GpuLease> GpuPool::try_candidates(std::map<size_t, GpuLockRequest>& requests,
                                                GpuUse use, Error& failure) {
  const std::vector<size_t> found = candidates();
  if (found.empty())
    failure.message =
        set_aside_.empty() ? "there is no GPU" : "no GPU is left to use: " + reasons(set_aside_);
  for (const size_t i : found) {
    if (jobs_[i] >= most_shared_) continue;
    const auto [request, is_new] =
        requests.try_emplace(i, locks_, gpus_[i].uuid, use_of(gpus_[i], use));
    Result<GpuLock> lock = request->second.poll();
    if (!lock) failure = lock.error();
    if (!lock || !*lock) continue;
    ++jobs_[i];
    return GpuLease(*this, gpus_[i], std::move(*lock));
  }
  return std::nullopt;
}

Result<GpuLease> GpuPool::take(GpuUse use, std::chrono::milliseconds patience) {
  const std::chrono::milliseconds end = clock_.now() + patience;
  // Kept while we wait, so that our place in each GPU's own queue is.
  std::map<size_t, GpuLockRequest> requests;
  const Turn turn(*this);
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      Error failure;
      if (turn.has_come()) {
        if (std::optional<GpuLease> lease = try_candidates(requests, use, failure))
          return Result<GpuLease>(std::move(*lease));
      }
      if (!failure.message.empty()) return failure;
    }
    if (clock_.now() >= end)
      return Error{fmt::format("no GPU became free within {} s", patience.count() / 1000)};
    clock_.sleep(kPoolPollEvery);
  }
}

void GpuPool::set_aside(const std::string& uuid, const std::string& why) {
  const std::lock_guard lock(mutex_);
  set_aside_.emplace(uuid, why);
}

std::map<std::string, std::string> GpuPool::set_aside() const {
  const std::lock_guard lock(mutex_);
  return set_aside_;
}

void GpuPool::give_back(const Gpu& gpu) {
  const std::lock_guard lock(mutex_);
  --jobs_[static_cast<size_t>(&gpu - gpus_.data())];
}

}  // namespace warpgrade
