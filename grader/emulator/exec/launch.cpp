// SPDX-License-Identifier: MIT
#include "emulator/exec/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <list>

#include "emulator/checkers/sync.h"
#include "emulator/counters/footprint.h"
#include "emulator/counters/metrics.h"
#include "emulator/exec/child_launches.h"
#include "emulator/exec/order.h"
#include "emulator/exec/patience.h"
#include "emulator/exec/worker.h"
#include "emulator/exec/worker_pool.h"
#include "emulator/model/device_rates.h"
#include "emulator/model/make_work.h"
#include "emulator/model/time_model.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Instructions a block may run before another resident block of its worker gets a turn.
constexpr uint64_t kBlockSlice = 200'000;
/// Blocks that one worker keeps going side by side when none of them ends: enough for a grid that
/// is resident on a large GPU to synchronise.
constexpr size_t kMaxResidentBlocks = 1024;
/// A cooperative launch's blocks wait for each other by design: all of them are resident, and turns
/// are short.
constexpr uint64_t kCooperativeSlice = 1000;
/// Under an order of its own a launch's blocks take turns in short slices of many lengths.
constexpr uint64_t kShortestOrderedSlice = 500;
constexpr uint64_t kOrderedSliceSpread = 4000;

/// What the launch has used up; ok while it may go on.
LaunchStatus used_up(const LaunchContext& launch) {
  const LaunchOptions& options = *launch.options;
  if (options.instruction_limit != 0 && launch.instructions >= options.instruction_limit)
    return LaunchStatus::instruction_limit;
  const bool late = options.deadline && std::chrono::steady_clock::now() >= *options.deadline;
  return late ? LaunchStatus::time_limit : LaunchStatus::ok;
}

/// Threads of a block; null where it has none any more.
struct Whereabouts {
  Warp* warp = nullptr;
  const Group* group = nullptr;
};

/// A place where the block runs, or else one where it waits.
Whereabouts whereabouts(Block& block) {
  Whereabouts found;
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      const bool runs = group.state == Group::State::ready;
      if (found.group != nullptr && (!runs || found.group->state == Group::State::ready)) continue;
      found = {&warp, &group};
    }
  }
  return found;
}

void report_limit(Block& block, LaunchStatus limit) {
  const LaunchContext& launch = *block.worker->launch;
  const auto [culprit, place] = whereabouts(block);
  if (place == nullptr) return;
  const LaunchOptions& options = *launch.options;
  const Sentence spent =
      limit == LaunchStatus::time_limit
          ? say("limit.time", {{"seconds", fmt::format("{}", options.time_limit_s)}})
          : say("limit.instructions", {{"instructions", options.instruction_limit}});
  report_fault(*culprit, launch.module->program.code[place->pc], limit, 105, 0, place->mask, spent);
}

uint64_t slice_of(const LaunchContext& launch, uint64_t turn) {
  if (launch.options->order != kNaturalOrder) {
    return kShortestOrderedSlice + mixed(launch.options->order, turn, 3) % kOrderedSliceSpread;
  }
  const uint64_t slice = launch.request->grid_workspace != 0 ? kCooperativeSlice : kBlockSlice;
  const uint64_t limit = launch.options->instruction_limit, spent = launch.instructions;
  return limit > spent ? std::min(slice, limit - spent) : slice;
}

/// From now on, accesses are recorded where the block is one of the sample.
void choose_footprint(Worker& worker, const Block& block) {
  uint32_t sample = 0;
  const bool recorded = worker.sample != nullptr &&
                        Footprint::is_sampled(block.linear_index, worker.launch->blocks, sample);
  worker.footprint = recorded ? worker.sample.get() : nullptr;
  if (recorded) worker.sample->begin_block(sample);
}

/// A block holds its place on a multiprocessor until its longest warp ends.
void note_lengths(Worker& worker, const Block& block) {
  uint64_t longest = 0, all = 0;
  for (const Warp& warp : block.warps) {
    longest = std::max(longest, warp.executed);
    all += warp.executed;
  }
  worker.spread.note(block.linear_index, longest, all);
}

void answer(Lookout& lookout, Block& block);

/// Runs blocks until none is left; several at a time where they wait for each other.
void work(Worker& worker, std::list<Block>& resident, std::list<Block>& spare, Lookout& lookout) {
  LaunchContext& launch = *worker.launch;
  const size_t most = launch.request->grid_workspace != 0 ? SIZE_MAX : kMaxResidentBlocks;
  const Permutation order(launch.options->order, 0, launch.blocks);
  const auto admit = [&] {
    const uint64_t next = launch.next_block.fetch_add(1);
    if (next >= launch.blocks) return false;
    if (spare.empty()) spare.emplace_back();
    resident.splice(resident.end(), spare, spare.begin());
    start_block(resident.back(), worker, order(next));
    return true;
  };
  Patience patience(worker, launch.workers == 1);
  bool more = admit();
  for (uint64_t turn = 0; !resident.empty() && !launch.stop; ++turn) {
    Block& block = resident.front();
    if (const LaunchStatus limit = used_up(launch); limit != LaunchStatus::ok) {
      if (!launch.stop.exchange(true)) report_limit(block, limit);
      return;
    }
    if (lookout.is_asked()) answer(lookout, block);
    uint64_t executed = 0;
    choose_footprint(worker, block);
    const BlockState state = run_block(block, slice_of(launch, turn), executed);
    if (launch.options->instruction_limit != 0) launch.instructions += executed;
    if (state == BlockState::stopped) return;
    patience.note(state, resident.size(), more && resident.size() < most);
    if (state == BlockState::runnable || state == BlockState::waiting) {
      resident.splice(resident.end(), resident, resident.begin());
      if (more && resident.size() < most) more = admit();
      continue;
    }
    if (state == BlockState::deadlocked) {
      report_deadlock(block);
      launch.stop = true;
      return;
    }
    note_lengths(worker, block);
    spare.splice(spare.end(), resident, resident.begin());
    if (more && resident.empty()) more = admit();
  }
}

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
  if (into.accesses != nullptr) into.accesses->merge(*from.accesses);
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
  }
  into.status = worse(into.status, from.status);
}

Finding to_finding(const LaunchContext& launch, const FaultKey& key, const Fault& fault) {
  const Dim3& grid = launch.request->grid;
  Finding finding;
  finding.checker = checker_of(fault.message);
  finding.message = fault.message;
  finding.kernel = launch.entry->name;
  finding.file = launch.module->file_of(key.pc);
  finding.line = launch.module->line_of(key.pc);
  finding.block = {static_cast<uint32_t>(fault.first_block % grid.x),
                   static_cast<uint32_t>(fault.first_block / grid.x % grid.y),
                   static_cast<uint32_t>(fault.first_block / grid.x / grid.y)};
  finding.thread = thread_index(launch.request->block, fault.first_thread);
  finding.count = fault.count;
  finding.race = fault.race;
  finding.other_line = fault.other_line;
  return finding;
}

void answer(Lookout& lookout, Block& block) {
  const LaunchContext& launch = *block.worker->launch;
  const auto [warp, group] = whereabouts(block);
  if (group == nullptr) return;
  Fault fault;
  fault.first_block = block.linear_index;
  fault.first_thread = warp->index * kWarpSize + static_cast<uint32_t>(first_lane(group->mask));
  lookout.answer({to_finding(launch, {group->pc, 0, 0}, fault),
                  std::min<uint64_t>(launch.next_block, launch.blocks), launch.blocks});
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

unsigned worker_count(const LaunchContext& launch) {
  // The order in which blocks reach an atomic must not depend on how many cores the host has.
  const bool ordered = launch.options->deterministic || launch.options->order != kNaturalOrder;
  if (ordered || launch.entry->has_ordered_atomics) return 1;
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

/// Shared memory is taken out of the L1 cache.
uint32_t l1_sectors_of_a_warp(const LaunchContext& launch) {
  const LaunchOptions& options = *launch.options;
  const auto sms = static_cast<uint64_t>(std::max(options.device->sm_count, 1));
  const uint64_t for_each = (launch.blocks + sms - 1) / sms;
  const auto resident = static_cast<double>(
      std::min<uint64_t>(for_each, static_cast<uint64_t>(std::max(options.resident_blocks, 1))));
  const double bytes =
      device_rates(*options.device).l1_bytes - static_cast<double>(launch.shared_bytes) * resident;
  const double warps = static_cast<double>(warps_of_a_block(launch)) * resident;
  return static_cast<uint32_t>(std::max(bytes / warps / kSectorBytes, 1.0));
}

/// On the worker's own thread: clearing the counters takes its part of a short launch.
void prepare(Worker& worker, LaunchContext& launch) {
  worker.launch = &launch;
  worker.counts.resize(launch.module->program.code.size());
  worker.rare.resize(launch.module->program.code.size());
  worker.memos.resize(launch.module->program.memory_slots);
  if (launch.options->device != nullptr) {
    worker.sample = std::make_shared<Footprint>(l1_sectors_of_a_warp(launch));
    worker.spread = WorkSpread(launch.options->device->sm_count);
  }
  const LaunchOptions& options = *launch.options;
  const bool notes = options.note_accesses || options.note_host_accesses;
  if (!notes || launch.watch == nullptr || !launch.watch->race) return;
  worker.accesses = std::make_shared<AccessMap>();
  if (!options.note_accesses) worker.accesses->leave_out_devices();
}

void run_all(LaunchContext& launch, std::vector<Worker>& workers, WorkerPool& pool) {
  const auto count = static_cast<unsigned>(workers.size());
  for (unsigned index = 0; index < count; ++index) pool.kept(index);
  std::vector<decltype(ChildLaunches::made)> children(count);
  pool.run(count, [&](unsigned index) {
    prepare(workers[index], launch);
    workers_child_launches() = {};
    std::list<Block> resident, spare = std::move(pool.kept(index));
    work(workers[index], resident, spare, pool.lookout());
    spare.splice(spare.end(), resident);
    pool.keep(index, spare);
    children[index] = std::move(workers_child_launches().made);
  });
  for (unsigned index = 1; index < count; ++index)
    std::move(children[index].begin(), children[index].end(), std::back_inserter(children[0]));
  keep_child_launches(std::move(children[0]));
  for (size_t index = 1; index < workers.size(); ++index) merge(workers.front(), workers[index]);
}

void model_time(const LaunchContext& context, const Worker& total, LaunchResult& result) {
  const uint64_t warps = warps_of_a_block(context);
  LaunchWork work =
      make_work({context.module->program, total.counts, total.rare}, context.module->cost_profile(),
                total.sample->totals(), context.blocks, warps);
  total.spread.tell(work);
  work.resident_blocks = context.options->resident_blocks;
  result.time = estimate_time(work, *context.options->device);
  result.work = std::make_shared<const LaunchWork>(work);
}

}  // namespace

LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory) {
  WorkerPool pool;
  return launch(request, options, memory, pool);
}

LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory, WorkerPool& pool) {
  const bool watches = options.check.init || options.check.race;
  const uint64_t generation = watches ? memory.next_generation() : 0;
  const auto frozen = memory.freeze();
  LaunchContext context;
  context.module = request.module;
  context.entry = request.module->find_entry(request.kernel);
  context.request = &request;
  context.options = &options;
  context.memory = &memory;
  context.blocks = uint64_t{request.grid.x} * request.grid.y * request.grid.z;
  lay_out_shared(context);
  std::vector<Worker> workers(std::max(worker_count(context), 1u));
  context.workers = workers.size();
  context.watch = make_watch(request, options, generation, workers.size());
  pool.lookout().begin();
  run_all(context, workers, pool);
  pool.lookout().end();
  const Worker& total = workers.front();
  LaunchResult result;
  result.status = total.status;
  result.findings = findings_of(context, total);
  result.touched = total.touched;
  std::sort(result.touched.begin(), result.touched.end(),
            [](const auto& a, const auto& b) { return a.ptr < b.ptr; });
  result.generation = generation;
  result.has_fences = options.check.race && hands_on(request.module->program);
  if (total.accesses != nullptr) total.accesses->finish();
  result.accesses = total.accesses;
  const Counts counts{request.module->program, total.counts, total.rare};
  result.metrics = metrics_of(counts);
  if (options.count_lines) result.lines = lines_of(*request.module, counts);
  if (options.device != nullptr) model_time(context, total, result);
  return result;
}

}  // namespace warpgrade::emulator
