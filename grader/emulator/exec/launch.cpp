// SPDX-License-Identifier: MIT
#include "emulator/exec/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "emulator/checkers/undefined.h"
#include "emulator/counters/footprint.h"
#include "emulator/counters/metrics.h"
#include "emulator/exec/block_turns.h"
#include "emulator/exec/child_launches.h"
#include "emulator/exec/launch_under_way.h"
#include "emulator/exec/order.h"
#include "emulator/exec/worker.h"
#include "emulator/exec/worker_pool.h"
#include "emulator/model/device_rates.h"
#include "emulator/model/make_work.h"
#include "emulator/model/time_model.h"
#include "emulator/model/time_shares.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

LaunchStatus worse(LaunchStatus a, LaunchStatus b) { return a == LaunchStatus::ok ? b : a; }

/// Adds a fault to those at the same place; the one of the lowest thread is told.
void absorb(std::map<FaultKey, Fault>& into, const FaultKey& key, const Fault& fault) {
  const auto [found, is_new] = into.try_emplace(key, fault);
  Fault& held = found->second;
  if (is_new) return;
  held.count += fault.count;
  if (std::pair(fault.first_block, fault.first_thread) <
      std::pair(held.first_block, held.first_thread)) {
    held.first_block = fault.first_block;
    held.first_thread = fault.first_thread;
    held.message = fault.message;
    held.race = fault.race;
    held.other_line = fault.other_line;
  }
}

void merge(Worker& into, Worker& from) {
  for (size_t index = 0; index < into.counts.size(); ++index)
    add(into.counts[index], from.counts[index]);
  for (size_t index = 0; index < into.rare.size(); ++index) add(into.rare[index], from.rare[index]);
  if (into.sample != nullptr) into.sample->merge(*from.sample);
  into.spread.merge(from.spread);
  for (const auto& [block, atomics] : from.block_atomics) into.block_atomics[block] += atomics;
  if (into.accesses != nullptr) into.accesses->merge(*from.accesses);
  if (into.early != nullptr) into.early->merge(*from.early);
  into.launches_dependents |= from.launches_dependents;
  for (const auto& [key, fault] : from.faults) absorb(into.faults, key, fault);
  for (const TouchedAllocation& touched : from.touched) {
    const auto same = std::find_if(into.touched.begin(), into.touched.end(),
                                   [&](const auto& held) { return held.ptr == touched.ptr; });
    if (same == into.touched.end()) {
      into.touched.push_back(touched);
      continue;
    }
    same->read |= touched.read;
    same->written |= touched.written;
    same->padding_read |= touched.padding_read;
    same->padding_written |= touched.padding_written;
    same->atomic_updates += touched.atomic_updates;
    same->writers += touched.writers;
  }
  into.status = worse(into.status, from.status);
}

/// One fault a line of the source, kind and object: the compiler unrolls loops, the student does not.
std::map<FaultKey, Fault> by_line(const LaunchContext& launch,
                                  const std::map<FaultKey, Fault>& faults) {
  std::map<FaultKey, Fault> merged;
  std::map<std::tuple<uint32_t, uint32_t, int, uint64_t>, uint32_t> first_pc;
  for (const auto& [key, fault] : faults) {
    const ptx::Location at = launch.module->program.locations[key.pc];
    const uint32_t pc =
        first_pc.try_emplace({at.file, at.line, key.kind, key.object}, key.pc).first->second;
    absorb(merged, {pc, key.kind, key.object}, fault);
  }
  return merged;
}

/// Faults in the order in which they happen when blocks run one after another.
std::vector<Finding> findings_of(const LaunchContext& launch, const Worker& worker) {
  const std::map<FaultKey, Fault> merged = by_line(launch, worker.faults);
  std::vector<const std::pair<const FaultKey, Fault>*> faults;
  for (const auto& entry : merged) faults.push_back(&entry);
  std::stable_sort(faults.begin(), faults.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.first_block, a->first.pc) <
           std::pair(b->second.first_block, b->first.pc);
  });
  std::vector<Finding> findings;
  for (const auto* fault : faults) {
    const bool is_check = checker_of(fault->second.message) == "memory";
    if (is_check && !launch.options->check.memory) continue;
    findings.push_back(to_finding(launch, fault->first, fault->second));
  }
  return findings;
}

void lay_out_shared(LaunchContext& launch) {
  launch.shared = launch.entry->shared;
  if (launch.request->dynamic_shared_bytes != 0) {
    launch.shared.push_back(launch.entry->dynamic_shared);
    launch.shared.back().bytes = static_cast<uint32_t>(launch.request->dynamic_shared_bytes);
  }
  for (const SharedVariable& variable : launch.shared) {
    launch.shared_bytes = std::max(launch.shared_bytes, variable.offset + variable.bytes);
  }
  if (!launch.module->program.uses_reserved_shared) return;
  launch.reserved_shared = static_cast<uint32_t>(
      round_up(launch.shared_bytes + kSharedRedZoneBytes, kSharedRedZoneBytes));
  launch.shared.push_back({"of cooperative groups", launch.reserved_shared, kReservedSharedBytes});
  launch.shared_bytes = launch.reserved_shared + kReservedSharedBytes;
}

/// Whether a thread can tell another by memory that it has done something.
bool hands_on(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
    return (instruction.ordering & kReleases) != 0;
  });
}

/// Whether a thread may wait for what another writes.
bool waits(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
    return (instruction.ordering & kLooks) != 0;
  });
}

unsigned worker_count(const LaunchContext& launch) {
  // The order in which blocks reach an atomic must not depend on how many cores the host has.
  const bool ordered = launch.options->deterministic || launch.options->order != kNaturalOrder;
  if (ordered || launch.entry->has_ordered_atomics) return 1;
  // Nor may a block miss a value that it waits for.
  if (waits(launch.module->program)) return 1;
  // Nor must what the race checker takes a thread to know of others.
  if (launch.options->check.race && hands_on(launch.module->program)) return 1;
  const unsigned cores = launch.options->threads != 0
                             ? launch.options->threads
                             : std::max(std::thread::hardware_concurrency(), 1u);
  return static_cast<unsigned>(std::min<uint64_t>(cores, launch.blocks));
}

uint64_t warps_of_a_block(const LaunchContext& launch) {
  const Dim3& block = launch.request->block;
  return (uint64_t{block.x} * block.y * block.z + kWarpSize - 1) / kWarpSize;
}

constexpr double kSectorBytes = 32;

double resident_blocks(const LaunchContext& launch) {
  const LaunchOptions& options = *launch.options;
  const auto sms = static_cast<uint64_t>(std::max(options.device->sm_count, 1));
  const uint64_t for_each = (launch.blocks + sms - 1) / sms;
  return static_cast<double>(
      std::min<uint64_t>(for_each, static_cast<uint64_t>(std::max(options.resident_blocks, 1))));
}

/// Shared memory is taken out of the L1 cache.
double l1_bytes(const LaunchContext& launch) {
  const double shared = static_cast<double>(launch.shared_bytes) * resident_blocks(launch);
  return std::max(device_rates(*launch.options->device).l1_bytes - shared, 0.0);
}

uint32_t l1_sectors_of_a_warp(const LaunchContext& launch) {
  const double warps = static_cast<double>(warps_of_a_block(launch)) * resident_blocks(launch);
  return static_cast<uint32_t>(std::max(l1_bytes(launch) / warps / kSectorBytes, 1.0));
}

/// On the worker's own thread: clearing the counters takes its part of a short launch.
void prepare(Worker& worker, LaunchContext& launch) {
  worker.launch = &launch;
  worker.counts.resize(launch.module->program.code.size());
  worker.rare.resize(launch.module->program.code.size());
  worker.memos.resize(launch.module->program.memory_slots);
  if (launch.options->device != nullptr) {
    worker.sample =
        std::make_shared<Footprint>(l1_sectors_of_a_warp(launch), launch.options->sample_key);
    worker.spread = WorkSpread(launch.options->device->sm_count);
  }
  const LaunchOptions& options = *launch.options;
  if (launch.watch == nullptr || !launch.watch->race) return;
  if (options.note_early_accesses) worker.early = std::make_shared<AccessMap>();
  if (!options.note_accesses && !options.note_host_accesses) return;
  worker.accesses = std::make_shared<AccessMap>();
  if (!options.note_accesses) worker.accesses->leave_out_devices();
}

/// ptx__thread_inst_executed_op_global_atomic.sum is that of all blocks.
constexpr const char* kMostAtomicsOfABlock = "ptx__thread_inst_executed_op_global_atomic.max";

double most_atomics_of_a_block(const Worker& total) {
  uint64_t most = 0;
  for (const auto& [block, atomics] : total.block_atomics) most = std::max(most, atomics);
  return static_cast<double>(most);
}

void model_time(const LaunchContext& context, const Worker& total, LaunchResult& result) {
  const uint64_t warps = warps_of_a_block(context);
  const Counts counts{context.module->program, total.counts, total.rare};
  const CostProfile& profile = context.module->cost_profile();
  const auto sms = static_cast<double>(context.options->device->sm_count);
  const L1Caches caches{std::min(sms, static_cast<double>(context.blocks)), l1_bytes(context)};
  LaunchWork work = make_work(counts, profile, total.sample->totals(), total.spread, context.blocks,
                              warps, caches);
  work.resident_blocks = context.options->resident_blocks;
  add_spills(work, counts, context.options->spill_store_bytes, context.options->spill_load_bytes);
  result.time = estimate_time(work, *context.options->device);
  result.work = std::make_shared<const LaunchWork>(work);
  if (!context.options->count_lines) return;
  const std::vector<double> shares =
      time_shares(counts, profile, work, *context.options->device, result.time);
  add_times(*context.module, shares, result.time.kernel_ms, result.lines);
}

}  // namespace

struct LaunchUnderWay::State {
  const LaunchRequest& request;
  const LaunchOptions& options;
  DeviceMemory& memory;
  WorkerPool& pool;
  uint64_t generation = 0;
  LaunchContext context = {};
  std::vector<Worker> workers = {};
  std::vector<Share> shares = {};
  std::vector<ChildLaunches> children = {};  ///< by worker
};

LaunchUnderWay::LaunchUnderWay(const LaunchRequest& request, const LaunchOptions& options,
                               DeviceMemory& memory, WorkerPool& pool)
    : state_(new State{request, options, memory, pool}) {
  const bool watches = options.check.init || options.check.race;
  if (watches) state_->generation = memory.next_generation();
  LaunchContext& context = state_->context;
  context.module = request.module;
  context.entry = request.module->find_entry(request.kernel);
  context.request = &request;
  context.options = &options;
  context.memory = &memory;
  context.blocks = uint64_t{request.grid.x} * request.grid.y * request.grid.z;
  lay_out_shared(context);
  state_->workers = std::vector<Worker>(std::max(worker_count(context), 1u));
  state_->shares.resize(state_->workers.size());
  state_->children.resize(state_->workers.size());
  context.workers = state_->workers.size();
  context.watch = make_watch(request, options, state_->generation, context.workers);
}

LaunchUnderWay::~LaunchUnderWay() = default;

void LaunchUnderWay::take_turns_of(size_t index, bool may_pause) {
  State& state = *state_;
  Worker& worker = state.workers[index];
  Share& share = state.shares[index];
  const auto number = static_cast<unsigned>(index);
  if (!share.has_begun) {
    prepare(worker, state.context);
    share.spare.swap(state.pool.kept(number));
  }
  std::swap(workers_child_launches(), state.children[index]);
  take_turns(worker, share, state.pool.lookout(), may_pause);
  std::swap(workers_child_launches(), state.children[index]);
  if (!share.resident.empty() && !state.context.stop) return;
  share.spare.splice(share.spare.end(), share.resident);
  state.pool.keep(number, share.spare);
}

bool LaunchUnderWay::has_ended() const {
  return state_->context.stop ||
         std::all_of(state_->shares.begin(), state_->shares.end(),
                     [](const Share& share) { return share.has_begun && share.resident.empty(); });
}

bool LaunchUnderWay::run(bool may_pause) {
  State& state = *state_;
  const auto frozen = state.memory.freeze();
  const auto count = static_cast<unsigned>(state.workers.size());
  for (unsigned index = 0; index < count; ++index) state.pool.kept(index);
  forget_pending_loads();
  went_on_ = false;
  bool goes_on = true;
  state.pool.lookout().begin();
  while (goes_on && !has_ended()) {
    state.pool.run(count, [&](unsigned index) { take_turns_of(index, may_pause); });
    goes_on = std::any_of(state.shares.begin(), state.shares.end(),
                          [](const Share& share) { return share.went_on; });
    went_on_ |= goes_on;
    // A lone worker has come to where none of its blocks can go on.
    if (count == 1) break;
  }
  state.pool.lookout().end();
  return has_ended();
}

/// What the init checker keeps of loads points to allocations, which may have moved while the launch paused.
void LaunchUnderWay::forget_pending_loads() {
  for (Share& share : state_->shares) {
    for (Block& block : share.resident) {
      for (Warp& warp : block.warps) {
        if (warp.undefined != nullptr) warp.undefined->clear();
      }
    }
  }
}

std::optional<Finding> LaunchUnderWay::place() const {
  for (Share& share : state_->shares) {
    if (!share.resident.empty()) return place_of(share.resident.front());
  }
  return std::nullopt;
}

LaunchResult LaunchUnderWay::result() {
  State& state = *state_;
  const auto frozen = state.memory.freeze();
  std::vector<Worker>& workers = state.workers;
  for (size_t index = 1; index < workers.size(); ++index) merge(workers.front(), workers[index]);
  decltype(ChildLaunches::made) children;
  for (ChildLaunches& each : state.children)
    std::move(each.made.begin(), each.made.end(), std::back_inserter(children));
  keep_child_launches(std::move(children));
  const LaunchContext& context = state.context;
  const LaunchRequest& request = state.request;
  const LaunchOptions& options = state.options;
  const Worker& total = workers.front();
  LaunchResult result;
  result.status = total.status;
  result.findings = findings_of(context, total);
  result.may_race = context.watch != nullptr && gave_up(*context.watch);
  result.touched = total.touched;
  std::sort(result.touched.begin(), result.touched.end(),
            [](const auto& a, const auto& b) { return a.ptr < b.ptr; });
  result.generation = state.generation;
  result.has_fences = options.check.race && hands_on(request.module->program);
  for (const auto& map : {total.accesses, total.early}) {
    if (map != nullptr) map->finish();
  }
  result.accesses = total.accesses;
  result.early = total.early;
  result.launches_dependents = total.launches_dependents;
  const Counts counts{request.module->program, total.counts, total.rare};
  result.metrics = metrics_of(counts);
  if (!total.block_atomics.empty())
    result.metrics[kMostAtomicsOfABlock] = most_atomics_of_a_block(total);
  if (options.count_lines) result.lines = lines_of(*request.module, counts);
  if (options.device != nullptr) model_time(context, total, result);
  return result;
}

LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory) {
  WorkerPool pool;
  return launch(request, options, memory, pool);
}

LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory, WorkerPool& pool) {
  LaunchUnderWay under_way(request, options, memory, pool);
  under_way.run(false);
  return under_way.result();
}

}  // namespace warpgrade::emulator
