// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9, ld and st.

#include "emulator/exec/ops/asynchronous.h"
#include "emulator/exec/ops/memory_access.h"
#include "emulator/exec/ops/memory_operands.h"
#include "emulator/exec/waiting_loops.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T, class R>
void load_element(Warp& warp, uint32_t d, const Access& access, unsigned element,
                  unsigned elements) {
  if (d == kNoRegister) return;
  const unsigned at = element * sizeof(T);
  if (access.shape == AccessShape::uniform) {
    T value;
    std::memcpy(&value, access.host + at, sizeof value);
    return write_lanes<R>(warp, d, [=](int) { return static_cast<R>(value); });
  }
  if (access.shape == AccessShape::contiguous && (access.staged || warp.mask == kFullMask)) {
    const T* const source = reinterpret_cast<const T*>(access.host);
    if (elements == 1)
      return write_lanes<R>(warp, d, [=](int lane) { return static_cast<R>(source[lane]); });
    return write_lanes<R>(warp, d, [=](int lane) {
      return static_cast<R>(source[static_cast<unsigned>(lane) * elements + element]);
    });
  }
  alignas(64) T values[kWarpSize];
  for_each_lane(warp.mask, [&](int lane) {
    std::memcpy(values + lane, access.host + access.relative[lane] + at, sizeof(T));
  });
  write_lanes<R>(warp, d, [&](int lane) { return static_cast<R>(values[lane]); });
}

/// Whether a load of shared memory gives zeros in this run.
bool finds_nothing(const Warp& warp, const Instruction& i) {
  return warp.worker->launch->options->hides_shared && (i.ordering & kStrong) == 0;
}

/// Where no memory holds all lanes: what each may read, or zeros.
template <class Space>
Access staged_lanes(Warp& warp, const Instruction& i, const Access& access, unsigned bytes,
                    uint8_t* staging) {
  if (access.staged) {
    const LaneAddresses addresses(warp, i);
    gather_lanes(warp, i, Space::kSpace, addresses.of, bytes, staging);
    if (finds_nothing(warp, i))
      for_each_lane(warp.mask, [&](int lane) {
        if (std::is_same_v<Space, Shared> || is_shared_address(addresses.of[lane]))
          std::memset(staging + static_cast<unsigned>(lane) * bytes, 0, bytes);
      });
  } else {
    std::memset(staging, 0, kWarpSize * kMaxLaneBytes);
  }
  return {staging, nullptr, AccessShape::contiguous, true};
}

template <class Space, class T, class R>
__attribute__((noinline)) void load_any(Warp& warp, const Instruction& i, Access access) {
  alignas(64) uint8_t staging[kWarpSize * kMaxLaneBytes];
  const unsigned bytes = sizeof(T) * i.elements;
  if (access.host == nullptr) access = staged_lanes<Space>(warp, i, access, bytes, staging);
  if (i.elements == 1) return load_element<T, R>(warp, i.d, access, 0, 1);
  if ((i.flags & Instruction::kStrong) != 0 && !access.staged)
    access = whole_lanes(warp, access, bytes, staging);
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  for (unsigned element = 0; element < i.elements; ++element) {
    load_element<T, R>(warp, detail.registers[element], access, element, i.elements);
  }
}

/// T is what memory holds, R what the register holds.
template <class Space, class T, class R>
void load(Warp& warp, const Instruction& i) {
  Access access = Space::resolve(warp, i, sizeof(T) * i.elements, false);
  if (std::is_same_v<Space, Shared> && access.host != nullptr && finds_nothing(warp, i))
    access = {};
  if (access.host == nullptr || i.elements != 1 || warp.mask != kFullMask ||
      access.shape == AccessShape::scattered)
    return load_any<Space, T, R>(warp, i, access);
  // Most loads are one of these two.
  const T* const source = reinterpret_cast<const T*>(access.host);
  R* const out = warp.reg<R>(i.d);
  if (access.shape == AccessShape::uniform) {
    const T value = *source;
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<R>(value);
  } else {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<R>(source[lane]);
  }
}

template <class T>
void store_element(Warp& warp, uint32_t source, unsigned width, const Access& access,
                   unsigned element, unsigned elements) {
  const uint8_t* const lanes = warp.reg<uint8_t>(source);
  if (access.shape == AccessShape::contiguous && warp.mask == kFullMask && elements == 1 &&
      width == sizeof(T)) {
    std::memcpy(access.host, lanes, kWarpSize * sizeof(T));
    return;
  }
  const unsigned at = element * sizeof(T);
  for_each_lane(warp.mask, [&](int lane) {
    const T value = lane_value<T>(lanes, width, lane);
    const int64_t relative =
        access.staged ? static_cast<int64_t>(sizeof(T)) * elements * lane : access.relative[lane];
    std::memcpy(access.host + relative + at, &value, sizeof value);
  });
}

template <class Space, class T>
__attribute__((noinline)) void store_any(Warp& warp, const Instruction& i, Access access) {
  alignas(64) uint8_t staging[kWarpSize * kMaxLaneBytes];
  const unsigned bytes = sizeof(T) * i.elements;
  const bool scatter = access.host == nullptr;
  const bool whole = !scatter && i.elements > 1 && (i.flags & Instruction::kStrong) != 0;
  const Access target = access;
  if (scatter || whole) access = {staging, nullptr, AccessShape::contiguous, true};
  if (i.elements == 1) {
    store_element<T>(warp, i.b, i.bytes, access, 0, 1);
  } else {
    const Detail& detail = warp.worker->launch->module->program.details[i.detail];
    for (unsigned element = 0; element < i.elements; ++element) {
      store_element<T>(warp, detail.registers[element], i.bytes, access, element, i.elements);
    }
  }
  if (scatter) scatter_lanes(warp, i, Space::kSpace, LaneAddresses(warp, i).of, bytes, staging);
  if (!whole) return;
  for_each_lane(warp.mask, [&](int lane) {
    copy_whole(target.host + target.relative[lane], staging + static_cast<unsigned>(lane) * bytes,
               bytes);
  });
}

template <class Space, class T>
void store(Warp& warp, const Instruction& i) {
  const Access access = Space::resolve(warp, i, sizeof(T) * i.elements, true);
  if (access.host == nullptr && !access.staged) return;
  if (std::is_same_v<Space, Shared> && warp.worker->launch->options->forgets_shared) return;
  if (access.shape == AccessShape::contiguous && warp.mask == kFullMask && i.elements == 1 &&
      i.bytes == sizeof(T) && !access.staged)
    std::memcpy(access.host, warp.reg<T>(i.b), kWarpSize * sizeof(T));
  else
    store_any<Space, T>(warp, i, access);
}

template <class Space>
struct Load {
  template <class T, class R>
  struct Of {
    static constexpr Handler kHandler = load<Space, T, R>;
  };
};
template <class Space>
struct Store {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = store<Space, T>;
  };
};
/// Marks loads and stores by which threads wait for each other. Hardware does not tear those of
/// several elements, and CUB's look-back relies on it.
bool is_strong(const ptx::Instruction& from) {
  return from.has("volatile") || from.has("acquire") || from.has("relaxed") || from.has("release");
}

/// From 4 bytes on; fewer come in one piece anyway.
uint8_t strong_flag(const ptx::Instruction& from, const Instruction& into) {
  const unsigned bytes = into.elements * ptx::size_of(last_type(from));
  return into.elements > 1 && bytes >= 4 ? uint8_t{Instruction::kStrong} : uint8_t{0};
}

void spinning(Warp& warp, const Instruction& i) {
  warp.spins = true;
  if ((i.ordering & kLooks) != 0) note_look(warp);
  warp.worker->launch->module->program.details[i.detail].inner(warp, i);
}

void decode_address(Decoder& decoder, const ptx::Operand& operand, Instruction& into) {
  decoder.address(operand, into);
  into.mode = operand.reg >= 0 && decoder.register_bytes(operand) == 4;
  into.memory_slot = decoder.program().memory_slots++;
}

void decode_ld(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const Type type = last_type(from);
  const ptx::Operand& address = from.operands[1];
  decode_elements(decoder, from.operands[0], from, into, true, type);
  if (from.has("param") || from.has("param::entry") || from.has("param::func")) {
    if (decode_ld_parameter(decoder, from, into)) return;
    decode_address(decoder, address, into);
    into.immediate += static_cast<int64_t>(kParameterBase);
    return choose_load<Load<Global>::Of>(decoder, from, into);
  }
  decode_address(decoder, address, into);
  if (from.has("shared") || from.has("shared::cta") || from.has("shared::cluster"))
    choose_load<Load<Shared>::Of>(decoder, from, into);
  else if (from.has("local"))
    choose_load<Load<Local>::Of>(decoder, from, into);
  else
    choose_load<Load<Global>::Of>(decoder, from, into);
  if (!is_strong(from)) return;
  into.flags |= strong_flag(from, into);
  if (into.detail == kNoDetail) decoder.new_detail(into);
  decoder.program().details[into.detail].inner = into.run;
  into.run = spinning;
}

void decode_st(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const Type type = last_type(from);
  const ptx::Operand& address = from.operands[0];
  decode_elements(decoder, from.operands[1], from, into, false, type);
  if (from.has("param") || from.has("param::func"))
    return require(decode_st_parameter(decoder, from, into), from);
  decode_address(decoder, address, into);
  if (from.has("shared") || from.has("shared::cta") || from.has("shared::cluster"))
    into.run = store_handler<Store<Shared>::Of>(type);
  else if (from.has("local"))
    into.run = store_handler<Store<Local>::Of>(type);
  else
    into.run = store_handler<Store<Global>::Of>(type);
  require(into.run != nullptr, from);
  if (is_strong(from)) into.flags |= strong_flag(from, into);
  if (from.has("async") && !from.has("mmio")) decode_async_store(decoder, from, into);
}

void nothing(Warp&, const Instruction&) {}
void decode_nothing(Decoder&, const ptx::Instruction&, Instruction& into) { into.run = nothing; }

/// Cache policies change nothing here.
void createpolicy(Warp& warp, const Instruction& i) {
  write_lanes<uint64_t>(warp, i.d, [](int) { return uint64_t{0}; });
}
void decode_createpolicy(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  into.run = createpolicy;
  into.d = decoder.destination(from.operands[0]);
}

constexpr OpRow kRows[] = {
    {"ld", decode_ld},
    {"ldu", decode_ld},
    {"st", decode_st},
    {"prefetch", decode_nothing},
    {"prefetchu", decode_nothing},
    {"discard", decode_nothing},
    {"applypriority", decode_nothing},
    {"createpolicy", decode_createpolicy},
};

}  // namespace

void decode_elements(Decoder& decoder, const ptx::Operand& operand, const ptx::Instruction& from,
                     Instruction& into, bool is_load, Type type) {
  if (operand.kind != ptx::Operand::Kind::vector) {
    (is_load ? into.d : into.b) =
        is_load ? decoder.destination(operand) : decoder.source(operand, type);
    into.bytes = static_cast<uint8_t>(operand.reg >= 0 ? decoder.register_bytes(operand)
                                                       : std::max(ptx::size_of(type), 2u));
    return;
  }
  require(operand.elements.size() == 2 || operand.elements.size() == 4, from);
  into.elements = static_cast<uint8_t>(operand.elements.size());
  require(into.elements * ptx::size_of(type) <= kMaxLaneBytes, from);
  std::vector<uint32_t> registers;
  into.bytes = static_cast<uint8_t>(std::max(ptx::size_of(type), 2u));
  for (const ptx::Operand& element : operand.elements) {
    registers.push_back(is_load ? decoder.destination(element) : decoder.source(element, type));
    if (element.reg >= 0) into.bytes = static_cast<uint8_t>(decoder.register_bytes(element));
  }
  decoder.new_detail(into).registers = std::move(registers);
}

const std::span<const OpRow> kMemoryOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
