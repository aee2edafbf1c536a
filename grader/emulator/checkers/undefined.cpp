// SPDX-License-Identifier: MIT
#include "emulator/checkers/undefined.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "emulator/checkers/sync.h"
#include "emulator/checkers/tell.h"
#include "emulator/exec/shuffle.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostOrigins = 64;
constexpr UndefinedValues::Lanes kDefined{};

template <class Visit>
void for_lanes(uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<size_t>(first_lane(lanes)));
}

bool is_defined(const UndefinedValues::Lanes& lanes) { return lanes == kDefined; }

/// The lane's operand, `bytes` wide; 0: a predicate, all ones where it holds.
uint64_t value_of(const Warp& warp, uint32_t reg, unsigned bytes, size_t lane, bool negated) {
  if (bytes == 0) return ((warp.predicate(reg) >> lane & 1) != 0) != negated ? ~uint64_t{0} : 0;
  uint64_t value = 0;
  std::memcpy(&value, warp.registers + reg + lane * bytes, bytes);
  return value;
}

uint64_t ones(unsigned bytes) {
  return bytes == 0 || bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
}

uint64_t local_key(uint64_t word, int lane) {
  return word * kWarpSize + static_cast<unsigned>(lane);
}

uint64_t address_of(const Warp& warp, const Instruction& instruction, size_t lane) {
  const auto offset = static_cast<uint64_t>(instruction.immediate);
  return instruction.mode != 0
             ? warp.reg<uint32_t>(instruction.a)[lane] + static_cast<uint32_t>(offset)
             : warp.reg<uint64_t>(instruction.a)[lane] + offset;
}

/// Whether the instruction has all the operands that its way of passing values on asks for: one
/// that was not understood may lack some.
bool is_complete(const Instruction& i, const Flow& flow) {
  switch (flow.through) {
    case Through::selection:
    case Through::sign:
    case Through::comparison:
    case Through::shuffle:
      return i.a != kNoRegister && i.b != kNoRegister && i.c != kNoRegister;
    case Through::conjunction:
    case Through::disjunction:
      return i.a != kNoRegister && i.b != kNoRegister;
    case Through::store:
      return i.a != kNoRegister;
    default:
      return true;
  }
}

}  // namespace

UndefinedValues::Origins UndefinedValues::origin(const Origin& like, int lane, uint64_t where) {
  const auto same = [&](const Origin& held) {
    return held.instruction == like.instruction && held.source == like.source &&
           held.object == like.object;
  };
  auto found = std::find_if(origins_.begin(), origins_.end(), same);
  if (found == origins_.end()) {
    if (origins_.size() == kMostOrigins) return 0;
    found = origins_.insert(found, like);
  }
  const Origins bit = Origins{1} << (found - origins_.begin());
  // The finding names the first of many undefined addends.
  if (!holds(static_cast<size_t>(lane), bit)) found->where[static_cast<size_t>(lane)] = where;
  return bit;
}

bool UndefinedValues::holds(size_t lane, Origins origin) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const auto& held) { return (held.second[lane] & origin) != 0; });
}

void UndefinedValues::mark(Warp& warp, uint32_t reg, int lane, Origins origins) {
  const LoadedModule& module = *warp.worker->launch->module;
  const auto function = static_cast<size_t>(warp.frame->function - module.program.functions.data());
  const FlowTable& table = module.flow();
  const auto life = table.lifetimes[function].find(reg);
  if (life == table.lifetimes[function].end() || !life->second.contains(warp.pc)) return;
  values_[{warp.frame, reg}][static_cast<size_t>(lane)] |= origins;
  warp.code = table.code.data();
}

UndefinedValues::Origins UndefinedValues::in_local(uint64_t offset, unsigned bytes,
                                                   int lane) const {
  Origins origins = 0;
  for (uint64_t word = offset / 4; !local_.empty() && word <= (offset + bytes - 1) / 4; ++word) {
    const auto found = local_.find(local_key(word, lane));
    if (found != local_.end()) origins |= found->second;
  }
  return origins;
}

void UndefinedValues::forget_local(uint32_t lanes, size_t first) {
  std::erase_if(local_, [&](const auto& held) {
    return held.first / kWarpSize >= first && (lanes >> held.first % kWarpSize & 1) != 0;
  });
}

void UndefinedValues::clear() {
  values_.clear();
  local_.clear();
  origins_.clear();
}

UndefinedValues::Lanes UndefinedValues::lanes_of(const Frame* frame, uint32_t reg) const {
  const auto found = values_.find({frame, reg});
  return found == values_.end() ? kDefined : found->second;
}

UndefinedValues::Lanes UndefinedValues::result(const Warp& warp, const Instruction& i,
                                               const Flow& flow) const {
  Lanes of{};
  const auto both = [&](auto choose) {
    const Lanes a = lanes_of(warp.frame, i.a), b = lanes_of(warp.frame, i.b);
    for_lanes(warp.mask, [&](size_t lane) { of[lane] = choose(lane, a[lane], b[lane]); });
  };
  const auto unless = [&](uint64_t decisive, size_t lane, Origins a, Origins b) {
    const bool decided =
        (a == 0 && value_of(warp, i.a, flow.bytes, lane, (i.mode & 1) != 0) == decisive) ||
        (b == 0 && value_of(warp, i.b, flow.bytes, lane, (i.mode & 2) != 0) == decisive);
    return decided ? 0 : a | b;
  };
  const Lanes c = lanes_of(warp.frame, i.c);
  switch (is_complete(i, flow) ? flow.through : Through::any) {
    case Through::selection:
      both([&](size_t lane, Origins a, Origins b) {
        return c[lane] | ((warp.predicate(i.c) >> lane & 1) != 0 ? a : b);
      });
      break;
    case Through::sign:
      // Neither a negative integer nor a negative float lacks the sign; NaNs are taken for both.
      both([&](size_t lane, Origins a, Origins b) {
        return c[lane] | (warp.reg<int32_t>(i.c)[lane] >= 0 ? a : b);
      });
      break;
    case Through::conjunction:
      both([&](size_t lane, Origins a, Origins b) { return unless(0, lane, a, b); });
      break;
    case Through::disjunction:
      both([&](size_t lane, Origins a, Origins b) { return unless(ones(flow.bytes), lane, a, b); });
      break;
    case Through::comparison:
      both([&](size_t lane, Origins a, Origins b) {
        const bool third = ((warp.predicate(i.c) >> lane & 1) != 0) != (i.immediate != 0);
        return c[lane] == 0 && third == flow.either ? 0 : a | b | c[lane];
      });
      break;
    default:
      for (const uint32_t reg : flow.reads) {
        const auto found = values_.find({warp.frame, reg});
        if (found == values_.end()) continue;
        for_lanes(warp.mask, [&](size_t lane) { of[lane] |= found->second[lane]; });
      }
  }
  return of;
}

void UndefinedValues::assign(const Frame* frame, const std::vector<uint32_t>& registers,
                             uint32_t lanes, const Lanes& origins) {
  for (const uint32_t reg : registers) {
    auto found = values_.find({frame, reg});
    if (found == values_.end()) {
      if (is_defined(origins)) continue;
      found = values_.try_emplace({frame, reg}).first;
    }
    for_lanes(lanes, [&](size_t lane) { found->second[lane] = origins[lane]; });
    if (is_defined(found->second)) values_.erase(found);
  }
}

template <class Change>
void UndefinedValues::change_all(Change change) {
  for (auto held = values_.begin(); held != values_.end();) {
    change(held->first, held->second);
    held = is_defined(held->second) ? values_.erase(held) : std::next(held);
  }
}

void UndefinedValues::leave(const Frame* frame, uint32_t lanes, bool all_frames) {
  change_all([&](const Place& place, Lanes& held) {
    if (!all_frames && place.frame != frame) return;
    for_lanes(lanes, [&](size_t lane) { held[lane] = 0; });
  });
}

void UndefinedValues::shuffle(Warp& warp, const Instruction& i, const Flow& flow) {
  const Frame* const frame = warp.frame;
  const uint32_t mask = warp.mask;
  const Lanes values = lanes_of(frame, i.a), old = lanes_of(frame, i.d);
  std::array<int, kWarpSize> sources{};
  for_lanes(mask, [&](size_t lane) {
    sources[lane] = shuffle_source(i.mode, static_cast<int>(lane), warp.reg<uint32_t>(i.b)[lane],
                                   warp.reg<uint32_t>(i.c)[lane])
                        .lane;
  });
  assign(frame, flow.writes, mask, kDefined);
  i.run(warp, i);
  // Those that wait for others shuffle later.
  const uint32_t done = mask & warp.mask & warp.active;
  Lanes now = lanes_of(frame, i.d);
  for_lanes(mask & ~done, [&](size_t lane) { now[lane] = old[lane]; });
  for_lanes(done, [&](size_t lane) {
    const auto source = static_cast<size_t>(sources[lane]);
    if ((done >> source & 1) == 0) return;
    now[lane] |= values[source];
    for (Origins moved = source == lane ? 0 : values[source]; moved != 0; moved &= moved - 1) {
      Origin& from = origins_[static_cast<size_t>(std::countr_zero(moved))];
      if (!holds(lane, moved & -moved)) from.where[lane] = from.where[source];
    }
  });
  if (i.d != kNoRegister) assign(frame, {i.d}, mask, now);
}

void UndefinedValues::store(Warp& warp, const Instruction& i, const Flow& flow) {
  const LaunchWatch* const watch = warp.worker->launch->watch.get();
  const bool follows = watch != nullptr && watch->init;
  uint32_t local = 0;
  std::array<uint64_t, kWarpSize> offsets{};
  for_lanes(warp.mask, [&](size_t lane) {
    const uint64_t address = address_of(warp, i, lane);
    const bool generic = is_local_address(address);
    if (follows && (flow.local || generic)) local |= 1u << lane;
    offsets[lane] = generic ? address - kLocalBase : address;
  });
  std::vector<Lanes> elements;
  for (const uint32_t reg : flow.reads) {
    if (!flow.copies) observe(warp, reg, warp.mask & ~local);
    elements.push_back(lanes_of(warp.frame, reg));
  }
  const uint32_t elsewhere = flow.copies && follows ? warp.mask & ~local : 0;
  i.run(warp, i);
  for_lanes(elsewhere, [&](size_t lane) {
    for (size_t element = 0; element < elements.size(); ++element) {
      if (elements[element][lane] != 0)
        forget_written(warp, offsets[lane] + element * flow.bytes, flow.bytes, flow.shared);
    }
  });
  for_lanes(local, [&](size_t lane) {
    for (size_t element = 0; element < elements.size(); ++element) {
      if (elements[element][lane] == 0) continue;
      const uint64_t begin = offsets[lane] + element * flow.bytes, end = begin + flow.bytes;
      for (uint64_t word = begin / 4; word <= (end - 1) / 4; ++word) {
        const size_t at = word * kWarpSize + lane;
        if (at >= warp.local_written.size()) continue;
        warp.local_written[at] &= static_cast<uint8_t>(~bytes_of_word(word * 4, begin, end));
        local_[local_key(word, static_cast<int>(lane))] = elements[element][lane];
      }
    }
  });
}

/// Element by element; narrow elements that share a word share what is known of it.
void UndefinedValues::move_parameter(Warp& warp, const Instruction& i, const Flow& flow) {
  const std::vector<uint32_t>& registers = flow.loads ? flow.writes : flow.reads;
  const std::vector<uint32_t>& words = flow.loads ? flow.reads : flow.writes;
  const auto first = static_cast<uint64_t>(i.immediate);
  for (size_t element = 0; element < registers.size(); ++element) {
    const uint64_t begin = first + element * flow.bytes, end = begin + flow.bytes;
    Lanes of = flow.loads ? kDefined : lanes_of(warp.frame, registers[element]);
    for (uint64_t word = begin / 4; word <= (end - 1) / 4; ++word) {
      const uint32_t place = words[word - first / 4];
      const Lanes held = lanes_of(warp.frame, place);
      if (flow.loads || end - begin < 4)
        for_lanes(warp.mask, [&](size_t lane) { of[lane] |= held[lane]; });
      if (!flow.loads) assign(warp.frame, {place}, warp.mask, of);
    }
    if (flow.loads) assign(warp.frame, {registers[element]}, warp.mask, of);
  }
  i.run(warp, i);
}

std::vector<UndefinedValues::Lanes> UndefinedValues::lanes_of_words(const Frame* frame,
                                                                    uint32_t slot,
                                                                    uint32_t bytes) const {
  std::vector<Lanes> words;
  for (uint32_t word = 0; word < (bytes + 3) / 4; ++word)
    words.push_back(lanes_of(frame, word_of(slot, word)));
  return words;
}

void UndefinedValues::assign_words(const Frame* frame, uint32_t slot, uint32_t lanes,
                                   const std::vector<Lanes>& words) {
  for (size_t word = 0; word < words.size(); ++word)
    assign(frame, {word_of(slot, word)}, lanes, words[word]);
}

/// A function gets its parameters as they are; what the runtime gets shows outside the thread.
void UndefinedValues::call(Warp& warp, const Instruction& i, const Flow& flow) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  const Frame* const caller = warp.frame;
  if (detail.inner != nullptr) {
    for (const uint32_t word : flow.reads) observe(warp, word, warp.mask);
    assign(caller, flow.writes, warp.mask, kDefined);
    return i.run(warp, i);
  }
  std::vector<std::vector<Lanes>> parameters;
  for (size_t index = 0; index < detail.registers.size(); ++index)
    parameters.push_back(lanes_of_words(caller, detail.registers[index], detail.slot_bytes[index]));
  i.run(warp, i);
  if (warp.groups.empty()) return;
  const Group& group = warp.groups.back();
  if (group.frame == nullptr || group.frame->caller != caller) return;
  const std::vector<ParameterSlot>& slots = group.frame->function->parameters;
  for (size_t index = 0; index < std::min(parameters.size(), slots.size()); ++index) {
    // A call by a pointer may say more than the function takes.
    const size_t words = (slots[index].bytes + 3) / 4;
    parameters[index].resize(std::min(parameters[index].size(), words));
    assign_words(group.frame, slots[index].offset, group.mask, parameters[index]);
  }
}

/// Returns from a function with its results as they are.
void UndefinedValues::give_back(Warp& warp, const Instruction& i) {
  const Frame* const frame = warp.frame;
  const Frame* const caller = frame->caller;
  const uint32_t mask = warp.mask;
  const Detail& detail = warp.worker->launch->module->program.details[frame->call_detail];
  const std::vector<ParameterSlot>& slots = frame->function->returns;
  std::vector<std::vector<Lanes>> results;
  for (size_t index = 0; index < std::min(detail.more.size(), slots.size()); ++index)
    results.push_back(lanes_of_words(
        frame, slots[index].offset,
        std::min(slots[index].bytes, detail.slot_bytes[detail.registers.size() + index])));
  leave(frame, mask, false);
  i.run(warp, i);
  for (size_t index = 0; index < results.size(); ++index)
    assign_words(caller, detail.more[index], mask, results[index]);
}

void UndefinedValues::run(Warp& warp, const Instruction& i, const Flow& flow) {
  for (const uint32_t reg : flow.decides) observe(warp, reg, warp.mask);
  const Frame* const frame = warp.frame;
  const uint32_t mask = warp.mask;
  if (flow.ends && !flow.exits && frame->caller != nullptr) return give_back(warp, i);
  if (flow.calls) return call(warp, i, flow);
  if (flow.ends) {
    leave(frame, mask, frame->caller == nullptr || flow.exits);
    return i.run(warp, i);
  }
  const bool complete = is_complete(i, flow);
  if (flow.through == Through::shuffle && complete) return shuffle(warp, i, flow);
  if (flow.through == Through::store && complete) return store(warp, i, flow);
  if (flow.through == Through::parameter) return move_parameter(warp, i, flow);
  const Lanes origins = flow.through == Through::load ? kDefined : result(warp, i, flow);
  assign(frame, flow.writes, mask, origins);
  i.run(warp, i);
}

void UndefinedValues::observe(Warp& warp, uint32_t reg, uint32_t lanes) {
  const auto found = values_.find({warp.frame, reg});
  if (found == values_.end()) return;
  const Lanes seen = found->second;
  uint32_t told = 0;
  for_lanes(lanes, [&](size_t lane) {
    if (seen[lane] == 0) return;
    report(warp, seen[lane], static_cast<int>(lane));
    told |= 1u << lane;
  });
  if (told == 0) return;
  // What is told is told: the same value may decide many things.
  change_all([&](const Place&, Lanes& held) {
    for_lanes(told, [&](size_t lane) { held[lane] &= ~seen[lane]; });
  });
}

bool UndefinedValues::expire(const Warp& warp) {
  const LoadedModule& module = *warp.worker->launch->module;
  const auto function = static_cast<size_t>(warp.frame->function - module.program.functions.data());
  const auto& lifetimes = module.flow().lifetimes[function];
  change_all([&](const Place& place, Lanes& held) {
    if (place.frame != warp.frame) return;
    const auto life = lifetimes.find(place.reg);
    if (life != lifetimes.end() && life->second.contains(warp.pc)) return;
    for_lanes(warp.active, [&](size_t lane) { held[lane] = 0; });
  });
  if (!values_.empty()) return false;
  if (local_.empty()) origins_.clear();
  return true;
}

void UndefinedValues::report(Warp& warp, Origins origins, int lane) {
  for (; origins != 0; origins &= origins - 1) {
    const Origin& from = origins_[static_cast<size_t>(std::countr_zero(origins))];
    const uint64_t where = from.where[static_cast<size_t>(lane)];
    const uint32_t thread = warp.index * kWarpSize + static_cast<uint32_t>(lane);
    switch (from.source) {
      case Source::memory:
        tell_unwritten(warp, *from.instruction, {from.allocation, where, nullptr}, where,
                       from.bytes, thread);
        break;
      case Source::local:
        tell_unwritten_local(warp, *from.instruction, from.bytes, thread);
        break;
      case Source::shuffle: {
        const IdleSource idle = IdleSource::of(where);
        report_idle_source(warp, *from.instruction, lane, idle.lane, idle.why);
      }
    }
  }
}

void track(Warp& warp, const Instruction& copy) {
  constexpr size_t kFew = 8;
  const LoadedModule& module = *warp.worker->launch->module;
  const Instruction& instruction = module.program.code[copy.pc];
  UndefinedValues& values = *warp.undefined;
  const uint32_t all = warp.mask;
  if (instruction.guard != kNoRegister) {
    values.observe(warp, instruction.guard, all);
    const uint32_t holds = warp.predicate(instruction.guard);
    warp.mask &= (instruction.flags & Instruction::kGuardNegated) != 0 ? ~holds : holds;
    warp.worker->counts[copy.pc].lanes -= static_cast<uint64_t>(std::popcount(all & ~warp.mask));
  }
  if (warp.mask != 0) values.run(warp, instruction, module.flow().flows[copy.pc]);
  if (instruction.flags == 0 && !values.few(kFew)) return;
  if (values.expire(warp)) warp.code = module.program.code.data();
}

}  // namespace warpgrade::emulator
