// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/stream_races.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "emulator/exec/program.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/places.h"
#include "emulator/runtime/stream/streams.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

// Beyond these, the oldest operations are forgotten.
constexpr size_t kMostOpen = 256, kMostOpenInOneLane = 16;

Sentence label(const StreamOperation& operation) {
  return operation.module == nullptr ? say("work.call", {{"call", operation.name}})
                                     : say("work.kernel", {{"kernel", demangled(operation.name)}});
}

bool is_default(const StreamOperation& operation) { return operation.stream.id == 0; }

Dim3 place(const Dim3& shape, uint64_t linear) {
  return {static_cast<uint32_t>(linear % shape.x),
          static_cast<uint32_t>(linear / shape.x % shape.y),
          static_cast<uint32_t>(linear / shape.x / shape.y)};
}

/// 0 where unknown.
int line_of(const StreamOperation& operation, const std::optional<MemoryUser>& user) {
  if (operation.module == nullptr || !user || user->pc == kNoUser) return 0;
  return operation.module->line_of(user->pc);
}

Sentence in_line(int line) { return line == 0 ? Sentence() : say("in.line", {{"line", line}}); }

Sentence verb(const StreamOperation& operation, bool writes) {
  if (operation.name == "cudaMallocAsync" || operation.name == "cudaMallocFromPoolAsync")
    return say("act.allocates");
  if (operation.name == "cudaFreeAsync" || operation.name == "cudaGraphAddMemFreeNode")
    return say("act.frees");
  return say(writes ? "act.writes" : "act.reads");
}

/// The finding is about that operation, where it is a kernel.
void blame(const StreamOperation& kernel, const std::optional<MemoryUser>& user, Finding& finding) {
  if (kernel.module == nullptr) return;
  finding.kernel = kernel.name;
  if (!user || user->pc == kNoUser) return;
  finding.file = kernel.module->file_of(user->pc);
  finding.line = kernel.module->line_of(user->pc);
  finding.block = place(kernel.grid, user->block);
  finding.thread = place(kernel.block, user->thread);
}

bool is_same_use(const MemoryUse& one, const MemoryUse& other) {
  return one.map == nullptr && other.map == nullptr && one.read == other.read &&
         one.written == other.written;
}

bool is_beside(const StreamOperation& first, const StreamOperation& second) {
  return second.beside && second.beside->lane == first.moment.lane &&
         second.beside->number == first.moment.number;
}

Sentence advice(const StreamOperation& first, const StreamOperation& second) {
  if (is_beside(first, second)) return say("advice.programmatic");
  if (first.graph != 0 && first.graph == second.graph) return say("advice.edge");
  const bool mixed = (is_default(first) && !second.stream.blocking) ||
                     (is_default(second) && !first.stream.blocking);
  return say(mixed ? "advice.default_stream" : "advice.streams");
}

}  // namespace

StreamOfWork work_of(const CUstream_st& stream) {
  return {stream.id, stream.device, (stream.flags & cudaStreamNonBlocking) == 0};
}

StreamOperation StreamRaces::begin(std::string name, const StreamOfWork& stream,
                                   bool programmatic) {
  StreamOperation operation;
  if (!on_) return operation;
  ++under_way_;
  operation.name = std::move(name);
  operation.stream = stream;
  const StreamOperation* const ahead = programmatic ? kernel_ahead(stream) : nullptr;
  if (ahead != nullptr) operation.beside = ahead->moment;
  operation.moment = order_.add(stream);
  if (order_.is_in_graph(stream) && !graphs_.empty()) operation.graph = graphs_.front();
  if (ahead != nullptr || (order_.has_lanes() && !lanes_seen_)) note_from_cells();
  lanes_seen_ = lanes_seen_ || order_.has_lanes();
  return operation;
}

const StreamOperation* StreamRaces::kernel_ahead(const StreamOfWork& stream) const {
  const auto last = std::find_if(open_.rbegin(), open_.rend(), [&](const StreamOperation& each) {
    return each.stream.id == stream.id && each.stream.device == stream.device;
  });
  const bool is_over = last == open_.rend() || !last->launches_dependents;
  return is_over || last->graph != 0 || !graphs_.empty() ? nullptr : &*last;
}

std::optional<Finding> StreamRaces::race_with_kernel_ahead(const StreamOperation& operation) const {
  const auto ahead = std::find_if(open_.begin(), open_.end(), [&](const StreamOperation& earlier) {
    return is_beside(earlier, operation);
  });
  if (ahead == open_.end() || operation.early.map == nullptr) return std::nullopt;
  const bool signals = (ahead->signals || operation.signals) && ahead->use.map != nullptr;
  if (signals && may_signal(*ahead->use.map, *operation.early.map)) return std::nullopt;
  const std::optional<Clash> clash = find_clash(ahead->use, operation.early);
  return clash ? std::optional(tell(*ahead, operation, *clash)) : std::nullopt;
}

void StreamRaces::note_from_cells() {
  for (StreamOperation& operation : open_) {
    if (operation.generation == 0) continue;
    const auto map = std::make_shared<AccessMap>();
    if (operation.use.map != nullptr) map->merge(*operation.use.map);
    for (const uint64_t begin : operation.touched) {
      const Allocation* const allocation = memory_.find(begin);
      if (allocation != nullptr) note_cells(*allocation, operation.generation, *map);
    }
    map->finish();
    if (may_signal_host(*map)) order_.host_waits_for(operation.moment);
    operation.use.map = map;
    operation.generation = 0;
    operation.pages = used_pages_of(operation.use, memory_);
  }
}

bool StreamRaces::concurrent(const StreamOperation& first, const StreamOperation& second) const {
  if (second.moment.after.covers(first.moment.lane, first.moment.number)) return false;
  const bool signals = first.signals || second.signals;
  const bool both_kernels = first.use.map != nullptr && second.use.map != nullptr;
  return !(signals && both_kernels && may_signal(*first.use.map, *second.use.map));
}

bool StreamRaces::is_new(const Finding& finding, const std::string& range) {
  return told_.insert(range + " " + kind_of(finding)).second;
}

std::vector<Finding> StreamRaces::unchecked(const StreamOperation& operation,
                                            const std::string& range) {
  std::vector<Finding> findings;
  const auto tell = [&](const std::string& kernel) {
    Finding finding = finding_of(say("unchecked.streams"));
    finding.kernel = kernel;
    if (is_new(finding, range)) findings.push_back(std::move(finding));
  };
  for (const auto& [lane, last] : forgotten_) {
    if (operation.moment.after.covers(lane, last.moment.number)) continue;
    for (const std::string& kernel : last.kernels) tell(kernel);
    tell("");
  }
  const bool is_whole = operation.use.map == nullptr || operation.use.map->is_complete();
  if (!is_whole && std::any_of(open_.begin(), open_.end(), [&](const StreamOperation& earlier) {
        return concurrent(earlier, operation);
      }))
    tell(operation.name);
  return findings;
}

std::vector<Finding> StreamRaces::finish(StreamOperation operation, const std::string& range) {
  if (!on_) return {};
  --under_way_;
  std::vector<Finding> findings = unchecked(operation, range);
  if (operation.use.map != nullptr && !operation.use.map->is_complete()) forget(operation);
  const size_t untold = findings.size();
  if (std::optional<Finding> finding = race_with_kernel_ahead(operation);
      finding && is_new(*finding, range))
    findings.push_back(std::move(*finding));
  for (const StreamOperation& earlier : open_) {
    if (!order_.has_lanes() || findings.size() > untold) break;
    if (!concurrent(earlier, operation)) continue;
    const std::optional<Clash> clash = find_clash(earlier.use, operation.use);
    if (!clash) continue;
    Finding finding = tell(earlier, operation, *clash);
    if (is_new(finding, range)) findings.push_back(std::move(finding));
  }
  if (operation.use.map != nullptr && may_signal_host(*operation.use.map))
    order_.host_waits_for(operation.moment);
  operation.pages = used_pages_of(operation.use, memory_);
  add(std::move(operation));
  limit();
  settle();
  return findings;
}

void StreamRaces::add(StreamOperation operation) {
  const auto is_repeated = [&](const StreamOperation& earlier) {
    return earlier.moment.lane == operation.moment.lane && earlier.module == nullptr &&
           operation.module == nullptr && is_same_use(earlier.use, operation.use);
  };
  open_.erase(std::remove_if(open_.begin(), open_.end(), is_repeated), open_.end());
  open_.push_back(std::move(operation));
}

void StreamRaces::forget(const StreamOperation& operation) {
  Forgotten& of_lane = forgotten_[operation.moment.lane];
  if (operation.moment.number >= of_lane.moment.number) of_lane.moment = operation.moment;
  if (operation.module != nullptr) of_lane.kernels.insert(operation.name);
}

void StreamRaces::limit() {
  const size_t most = order_.has_lanes() ? kMostOpen : kMostOpenInOneLane;
  size_t pages = 0;
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    if (it->use.map != nullptr) pages += it->use.map->page_count();
    const auto kept = static_cast<size_t>(std::distance(open_.rbegin(), it));
    if (kept < most && pages <= AccessMap::kMostPages) continue;
    std::for_each(open_.begin(), it.base(), [&](const StreamOperation& old) { forget(old); });
    open_.erase(open_.begin(), it.base());
    return;
  }
}

void StreamRaces::settle() {
  open_.erase(std::remove_if(open_.begin(), open_.end(),
                             [&](const StreamOperation& operation) {
                               return order_.host_knows(operation.moment);
                             }),
              open_.end());
  std::erase_if(forgotten_,
                [&](const auto& lane) { return order_.host_knows(lane.second.moment); });
  if (open_.empty() && forgotten_.empty() && under_way_ == 0) order_.forget_all();
}

bool StreamRaces::records_host_memory() const {
  const auto& all = memory_.allocations();
  return on_ && std::any_of(all.begin(), all.end(), [](const Allocation& allocation) {
           return is_host_mapped(allocation.begin);
         });
}

void StreamRaces::guard_host_memory(bool kernels_wait) {
  std::vector<GuardedPages> pages;
  for (const bool against_reads : {false, true}) {
    for (const StreamOperation& operation : open_) {
      const std::vector<GuardedPages>& whole = operation.pages.whole;
      std::copy_if(
          whole.begin(), whole.end(), std::back_inserter(pages),
          [&](const GuardedPages& range) { return (range.against_reads != 0) == against_reads; });
    }
  }
  if (pages.size() > cudart::kMostGuardedRanges) pages.resize(cudart::kMostGuardedRanges);
  host().guard(std::move(pages));
  if (kernels_wait) return;
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) watched_.add(it->pages.parts);
}

std::vector<Finding> StreamRaces::lift_guard(const std::string& range) {
  std::vector<Finding> findings;
  Touch touch = host().take_touch();
  const std::optional<uint64_t> changed = watched_.changed();
  watched_.clear();
  if (touch.address == 0 && changed) touch = {*changed, 1};
  if (touch.address == 0) return findings;
  MemoryUse hosts;
  (touch.writes != 0 ? hosts.written : hosts.read).push_back({touch.address, touch.address + 1});
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    const std::optional<Clash> clash = find_clash(it->use, hosts);
    if (!clash) continue;
    Finding finding = at_code(tell_host(*it, touch, *clash), touch.code);
    if (is_new(finding, range)) findings.push_back(std::move(finding));
    break;
  }
  return findings;
}

void StreamRaces::begin_graph(const StreamOfWork& stream) {
  if (!on_) return;
  order_.begin_graph(stream);
  graphs_.push_back(++next_graph_);
}

void StreamRaces::begin_node(const void* node, const std::vector<const void*>& after) {
  if (on_) order_.begin_node(node, after);
}

void StreamRaces::end_node() {
  if (on_) order_.end_node();
}

void StreamRaces::host_waits_for(const StreamOfWork& stream) {
  order_.host_waits_for(stream);
  settle();
}

void StreamRaces::host_waits_for_event(uint64_t event) {
  order_.host_waits_for_event(event);
  settle();
}

void StreamRaces::host_waits_for_device(int device) {
  order_.host_waits_for_device(device);
  settle();
}

bool StreamRaces::host_finds_done(const StreamOfWork& stream) {
  const bool done = !on_ || order_.host_finds_done(stream);
  settle();
  return done;
}

bool StreamRaces::host_finds_done(uint64_t event) {
  const bool done = !on_ || order_.host_finds_done(event);
  settle();
  return done;
}

bool StreamRaces::host_sees_done(uint64_t event) {
  const bool done = order_.host_finds_done(event);
  if (done) settle();
  return done;
}

void StreamRaces::host_waits_for_all() {
  open_.clear();
  forgotten_.clear();
  order_.forget_all();
}

void StreamRaces::end_graph(const StreamOfWork& stream) {
  if (!on_) return;
  graphs_.pop_back();
  order_.end_graph(stream);
}

void StreamRaces::reset() { host_waits_for_all(); }

Sentence StreamRaces::place_of(const ByteRange& bytes) const {
  const Allocation* const allocation = memory_.find(bytes.begin);
  if (allocation == nullptr) return say("where.is_freed");
  const uint64_t first = bytes.begin - allocation->begin;
  const uint64_t last = std::min(bytes.end, allocation->end()) - allocation->begin - 1;
  constexpr std::string_view kVariable = "the variable ";
  const Sentence whole =
      allocation->origin.starts_with(kVariable)
          ? say("allocation.variable", {{"variable", allocation->origin.substr(kVariable.size())}})
          : say("allocation.made", {{"bytes", allocation->size}, {"origin", allocation->origin}});
  if (first == 0 && last + 1 == allocation->size) return whole;
  return first == last
             ? say("where.byte", {{"offset", first}, {"allocation", whole}})
             : say("where.bytes", {{"first", first}, {"last", last}, {"allocation", whole}});
}

Sentence StreamRaces::stream_of(const StreamOperation& operation) const {
  const bool in_graph = operation.graph != 0;
  const uint64_t id = operation.stream.id;
  const int device = operation.stream.device;
  if (is_default(operation))
    return device == 0 ? say(in_graph ? "graph.default" : "stream.default")
                       : say(in_graph ? "graph.default_of_device" : "stream.default_of_device",
                             {{"device", device}});
  if (id > kThreadStreams)
    return say(in_graph ? "graph.of_thread" : "stream.of_thread",
               {{"number", id - kThreadStreams}, {"device", device}});
  return device == 0 ? say(in_graph ? "graph.numbered" : "stream.numbered", {{"stream", id}})
                     : say(in_graph ? "graph.of_device" : "stream.of_device",
                           {{"stream", id}, {"device", device}});
}

Finding StreamRaces::tell_host(const StreamOperation& first, const Touch& touch,
                               const Clash& clash) const {
  const int line = line_of(first, clash.first_user);
  Finding finding =
      finding_of(say("race.host", {{"act", say(touch.writes != 0 ? "act.writes" : "act.reads")},
                                   {"object", place_of(clash.bytes)},
                                   {"first", label(first)},
                                   {"first_stream", stream_of(first)},
                                   {"other_act", verb(first, clash.first_writes)},
                                   {"where", in_line(line)}}));
  finding.other_line = line;
  blame(first, clash.first_user, finding);
  return finding;
}

// A call has no line of its own: where one of the two is a kernel, the finding is at its line and begins with it.
Finding StreamRaces::tell(const StreamOperation& first, const StreamOperation& second,
                          const Clash& clash) const {
  const bool is_at_first = second.module == nullptr && first.module != nullptr;
  const StreamOperation &here = is_at_first ? first : second, &there = is_at_first ? second : first;
  const bool here_writes = is_at_first ? clash.first_writes : clash.second_writes;
  const bool there_writes = is_at_first ? clash.second_writes : clash.first_writes;
  const int other_line = is_at_first ? 0 : line_of(first, clash.first_user);
  Finding finding = finding_of(say("race.streams", {{"second", label(here)},
                                                    {"second_stream", stream_of(here)},
                                                    {"act", verb(here, here_writes)},
                                                    {"object", place_of(clash.bytes)},
                                                    {"first", label(there)},
                                                    {"first_stream", stream_of(there)},
                                                    {"other_act", verb(there, there_writes)},
                                                    {"where", in_line(other_line)},
                                                    {"advice", advice(first, second)}}));
  finding.other_line = other_line;
  blame(here, is_at_first ? clash.first_user : clash.second_user, finding);
  return finding;
}

}  // namespace warpgrade::emulator
