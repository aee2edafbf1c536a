// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9, ld and st. The lanes' addresses mostly form the pattern they formed last time;
// then the extent, the sectors and the bank conflicts are known, and one comparison with the last
// allocation checks the bounds.

#include "emulator/exec/access.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

constexpr unsigned kMaxLaneBytes = 16;

/// Where the lanes' data lie: at host + relative[lane], or lane after lane in a staging buffer.
struct Access {
  uint8_t* host = nullptr;
  const int64_t* relative = nullptr;
  AccessShape shape = AccessShape::scattered;
  bool staged = false;
};

inline bool same_pattern(const AccessMemo& memo, uint32_t mask, const uint64_t* addresses,
                         uint64_t base) {
  if (memo.mask != mask) return false;
  uint64_t difference = 0;
  if (mask == kFullMask) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      difference |= (addresses[lane] - base) ^
                    static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
    }
  } else {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const uint64_t active = 0 - static_cast<uint64_t>(mask >> lane & 1);
      difference |= ((addresses[lane] - base) ^
                     static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)])) &
                    active;
    }
  }
  return difference == 0;
}

inline void add_offset(const uint64_t* from, int64_t offset, uint64_t* to) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    to[lane] = from[lane] + static_cast<uint64_t>(offset);
}

/// Addresses of a register that may be 32 bits wide, as those of shared memory are.
inline void lane_addresses(Warp& warp, const Instruction& i, uint64_t* to) {
  if (i.mode != 0) {
    const uint32_t* from = warp.reg<uint32_t>(i.a);
    for (int lane = 0; lane < kWarpSize; ++lane)
      to[lane] = static_cast<uint32_t>(from[lane] + static_cast<uint32_t>(i.immediate));
  } else {
    add_offset(warp.reg<uint64_t>(i.a), i.immediate, to);
  }
}

struct Global {
  static constexpr LaneSpace kSpace = LaneSpace::generic;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    const uint64_t base = addresses[first_lane(warp.mask)];
    if (!same_pattern(memo, warp.mask, addresses, base))
      memorise(memo, warp.mask, addresses, bytes);
    if (memo.misaligned || (base & (bytes - 1)) != 0) {
      report_misaligned(warp, i, addresses, bytes, write);
      return {};
    }
    const Allocation* allocation = memo.allocation;
    const uint64_t begin = base + static_cast<uint64_t>(memo.lowest);
    if (allocation == nullptr || begin < allocation->begin ||
        base + static_cast<uint64_t>(memo.end) > allocation->end()) {
      allocation = memo.allocation = common_allocation(warp, memo, base, write);
    }
    const bool elsewhere = allocation == nullptr && base - kSharedBase < 3 * kWindowBytes;
    if (!elsewhere) count(worker.counts[i.pc], memo, base, bytes);
    if (allocation == nullptr) return {nullptr, nullptr, AccessShape::contiguous, true};
    if (allocation->pitch != 0 && worker.launch->options->check_padding) {
      check_padding(warp, i, memo, base, *allocation, bytes, write);
    }
    return {allocation->at(base), memo.relative.data(), memo.shape, false};
  }

  static void count(ExecutionCount& counts, AccessMemo& memo, uint64_t base, unsigned bytes) {
    uint8_t& sectors = memo.sectors[base & 31];
    if (sectors == 0) sectors = static_cast<uint8_t>(count_sectors(memo, base, bytes));
    ++counts.requests;
    counts.sectors += sectors;
  }
};

struct Shared {
  static constexpr LaneSpace kSpace = LaneSpace::shared;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    const uint64_t base = addresses[first_lane(warp.mask)];
    if (!same_pattern(memo, warp.mask, addresses, base))
      memorise(memo, warp.mask, addresses, bytes);
    if (memo.misaligned || (base & (bytes - 1)) != 0) {
      report_misaligned(warp, i, addresses, bytes, write);
      return {};
    }
    count(worker.counts[i.pc], memo, addresses, base, bytes);
    const uint64_t begin = base + static_cast<uint64_t>(memo.lowest),
                   end = base + static_cast<uint64_t>(memo.end);
    if (begin < memo.shared_begin || end > memo.shared_end) {
      const SharedVariable* const variable = shared_variable(*worker.launch, begin, end);
      if (variable == nullptr) return {nullptr, nullptr, AccessShape::contiguous, true};
      memo.shared_begin = variable->offset;
      memo.shared_end = variable->offset + variable->bytes;
    }
    return {warp.block->shared.data() + base, memo.relative.data(), memo.shape, false};
  }

  static void count(ExecutionCount& counts, AccessMemo& memo, const uint64_t* addresses,
                    uint64_t base, unsigned bytes) {
    if (memo.bank_phase != (base & 3)) {
      const SharedCost cost = shared_cost(memo.mask, addresses, bytes);
      memo.bank_phase = base & 3;
      memo.wavefronts = static_cast<uint8_t>(cost.wavefronts);
      memo.conflicts = static_cast<uint8_t>(cost.conflicts);
    }
    ++counts.requests;
    counts.wavefronts += memo.wavefronts;
    counts.conflicts += memo.conflicts;
  }
};

/// Local memory: always lane by lane. Its sectors are those of the interleaved layout.
struct Local {
  static constexpr LaneSpace kSpace = LaneSpace::local;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool) {
    AccessMemo memo;
    uint64_t rows[kWarpSize];
    for (int lane = 0; lane < kWarpSize; ++lane) {
      rows[lane] = (addresses[lane] >> 2) * (4 * kWarpSize) + static_cast<unsigned>(lane) * 4 +
                   (addresses[lane] & 3);
    }
    ExecutionCount& counts = warp.worker->counts[i.pc];
    ++counts.requests;
    for (unsigned word = 0; word < bytes; word += 4) {
      memorise(memo, warp.mask, rows, std::min(bytes, 4u));
      counts.sectors += count_sectors(memo, rows[first_lane(warp.mask)], std::min(bytes, 4u));
      for (uint64_t& row : rows) row += 4 * kWarpSize;
    }
    return {nullptr, nullptr, AccessShape::contiguous, true};
  }
};

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

/// T is what memory holds, R what the register holds.
template <class Space, class T, class R>
void load(Warp& warp, const Instruction& i) {
  alignas(64) uint64_t addresses[kWarpSize];
  alignas(64) uint8_t staging[kWarpSize * kMaxLaneBytes];
  const unsigned bytes = sizeof(T) * i.elements;
  lane_addresses(warp, i, addresses);
  Access access = Space::resolve(warp, i, addresses, bytes, false);
  if (access.host == nullptr) {
    if (access.staged)
      gather_lanes(warp, i, Space::kSpace, addresses, bytes, staging);
    else
      std::memset(staging, 0, sizeof staging);
    access = {staging, nullptr, AccessShape::contiguous, true};
  }
  if (i.elements == 1) return load_element<T, R>(warp, i.d, access, 0, 1);
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  for (unsigned element = 0; element < i.elements; ++element) {
    load_element<T, R>(warp, detail.registers[element], access, element, i.elements);
  }
}

/// The low bytes of a register whose lanes are `width` bytes apart.
template <class T>
inline T lane_value(const uint8_t* lanes, unsigned width, int lane) {
  T value;
  std::memcpy(&value, lanes + static_cast<unsigned>(lane) * width, sizeof value);
  return value;
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
void store(Warp& warp, const Instruction& i) {
  alignas(64) uint64_t addresses[kWarpSize];
  alignas(64) uint8_t staging[kWarpSize * kMaxLaneBytes];
  const unsigned bytes = sizeof(T) * i.elements;
  lane_addresses(warp, i, addresses);
  Access access = Space::resolve(warp, i, addresses, bytes, true);
  if (access.host == nullptr && !access.staged) return;
  const bool scatter = access.host == nullptr;
  if (scatter) access = {staging, nullptr, AccessShape::contiguous, true};
  if (i.elements == 1) {
    store_element<T>(warp, i.b, i.bytes, access, 0, 1);
  } else {
    const Detail& detail = warp.worker->launch->module->program.details[i.detail];
    for (unsigned element = 0; element < i.elements; ++element) {
      store_element<T>(warp, detail.registers[element], i.bytes, access, element, i.elements);
    }
  }
  if (scatter) scatter_lanes(warp, i, Space::kSpace, addresses, bytes, staging);
}

template <class T, class R>
void load_kernel_parameter(Warp& warp, const Instruction& i) {
  const auto& parameters = warp.worker->launch->request->parameters;
  for (unsigned element = 0; element < i.elements; ++element) {
    T value{};
    const size_t at = static_cast<size_t>(i.immediate) + element * sizeof(T);
    if (at + sizeof value <= parameters.size())
      std::memcpy(&value, parameters.data() + at, sizeof value);
    const uint32_t d =
        i.elements == 1 ? i.d
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    if (d != kNoRegister) write_lanes<R>(warp, d, [=](int) { return static_cast<R>(value); });
  }
}

/// A parameter of a call lies in the register file, in rows of 32 words.
template <class T, class R>
void load_call_parameter(Warp& warp, const Instruction& i) {
  uint8_t* const rows = warp.registers + i.a;
  for (unsigned element = 0; element < i.elements; ++element) {
    alignas(64) T values[kWarpSize];
    for_each_lane(warp.mask, [&](int lane) {
      for (unsigned done = 0; done < sizeof(T); done += std::min<unsigned>(sizeof(T), 4)) {
        const uint64_t at = static_cast<uint64_t>(i.immediate) + element * sizeof(T) + done;
        std::memcpy(reinterpret_cast<uint8_t*>(values + lane) + done, interleaved(rows, at, lane),
                    std::min<size_t>(sizeof(T), 4));
      }
    });
    const uint32_t d =
        i.elements == 1 ? i.d
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    if (d != kNoRegister)
      write_lanes<R>(warp, d, [&](int lane) { return static_cast<R>(values[lane]); });
  }
}

template <class T>
void store_call_parameter(Warp& warp, const Instruction& i) {
  uint8_t* const rows = warp.registers + i.a;
  for (unsigned element = 0; element < i.elements; ++element) {
    const uint32_t source =
        i.elements == 1 ? i.b
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    for_each_lane(warp.mask, [&](int lane) {
      const T value = lane_value<T>(warp.reg<uint8_t>(source), i.bytes, lane);
      for (unsigned done = 0; done < sizeof(T); done += std::min<unsigned>(sizeof(T), 4)) {
        const uint64_t at = static_cast<uint64_t>(i.immediate) + element * sizeof(T) + done;
        std::memcpy(interleaved(rows, at, lane), reinterpret_cast<const uint8_t*>(&value) + done,
                    std::min<size_t>(sizeof(T), 4));
      }
    });
  }
}

/// Handlers for every pair of memory type and register width; `Make<T, R>::kHandler`.
template <template <class, class> class Make>
Handler load_handler(Type type, unsigned register_bytes) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return register_bytes == 2   ? Make<uint8_t, uint16_t>::kHandler
             : register_bytes == 4 ? Make<uint8_t, uint32_t>::kHandler
                                   : Make<uint8_t, uint64_t>::kHandler;
    case Type::s8:
      return register_bytes == 2   ? Make<int8_t, int16_t>::kHandler
             : register_bytes == 4 ? Make<int8_t, int32_t>::kHandler
                                   : Make<int8_t, int64_t>::kHandler;
    case Type::u16:
    case Type::b16:
    case Type::f16:
    case Type::bf16:
      return register_bytes == 2   ? Make<uint16_t, uint16_t>::kHandler
             : register_bytes == 4 ? Make<uint16_t, uint32_t>::kHandler
                                   : Make<uint16_t, uint64_t>::kHandler;
    case Type::s16:
      return register_bytes == 2   ? Make<int16_t, int16_t>::kHandler
             : register_bytes == 4 ? Make<int16_t, int32_t>::kHandler
                                   : Make<int16_t, int64_t>::kHandler;
    case Type::u32:
    case Type::b32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
      return register_bytes == 4 ? Make<uint32_t, uint32_t>::kHandler
                                 : Make<uint32_t, uint64_t>::kHandler;
    case Type::s32:
      return register_bytes == 4 ? Make<int32_t, int32_t>::kHandler
                                 : Make<int32_t, int64_t>::kHandler;
    case Type::u64:
    case Type::s64:
    case Type::b64:
    case Type::f64:
      return Make<uint64_t, uint64_t>::kHandler;
    default:
      return nullptr;
  }
}

template <template <class> class Make>
Handler store_handler(Type type) {
  switch (ptx::size_of(type)) {
    case 1:
      return Make<uint8_t>::kHandler;
    case 2:
      return Make<uint16_t>::kHandler;
    case 4:
      return Make<uint32_t>::kHandler;
    case 8:
      return Make<uint64_t>::kHandler;
    default:
      return nullptr;
  }
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
template <class T, class R>
struct LoadKernelParameter {
  static constexpr Handler kHandler = load_kernel_parameter<T, R>;
};
template <class T, class R>
struct LoadCallParameter {
  static constexpr Handler kHandler = load_call_parameter<T, R>;
};
template <class T>
struct StoreCallParameter {
  static constexpr Handler kHandler = store_call_parameter<T>;
};

template <template <class, class> class Make>
void choose_load(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const ptx::Operand& target = from.operands[0];
  const ptx::Operand& sample =
      target.kind == ptx::Operand::Kind::vector ? target.elements.at(0) : target;
  into.run = load_handler<Make>(last_type(from), decoder.register_bytes(sample));
  require(into.run != nullptr, from);
}

/// Marks loads and stores by which threads wait for each other.
bool waits(const ptx::Instruction& from) {
  return from.has("volatile") || from.has("acquire") || from.has("relaxed");
}

void spinning(Warp& warp, const Instruction& i) {
  warp.spins = true;
  warp.worker->launch->module->program.details[i.detail].inner(warp, i);
}

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
    if (const ParameterSlot* const slot = decoder.parameter_slot(address)) {
      into.a = slot->offset;
      into.immediate = address.offset;
      return choose_load<LoadCallParameter>(decoder, from, into);
    }
    if (const int64_t offset = decoder.kernel_parameter(address.name); offset >= 0) {
      into.immediate = offset + address.offset;
      return choose_load<LoadKernelParameter>(decoder, from, into);
    }
    decode_address(decoder, address, into);
    into.immediate += static_cast<int64_t>(kParameterBase);
    return choose_load<Load<Global>::Of>(decoder, from, into);
  }
  decode_address(decoder, address, into);
  if (from.has("shared") || from.has("shared::cta"))
    choose_load<Load<Shared>::Of>(decoder, from, into);
  else if (from.has("local"))
    choose_load<Load<Local>::Of>(decoder, from, into);
  else
    choose_load<Load<Global>::Of>(decoder, from, into);
  if (!waits(from)) return;
  if (into.detail == kNoDetail) decoder.new_detail(into);
  decoder.program().details[into.detail].inner = into.run;
  into.run = spinning;
}

void decode_st(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const Type type = last_type(from);
  const ptx::Operand& address = from.operands[0];
  decode_elements(decoder, from.operands[1], from, into, false, type);
  if (from.has("param") || from.has("param::func")) {
    const ParameterSlot* const slot = decoder.parameter_slot(address);
    require(slot != nullptr, from);
    into.a = slot->offset;
    into.immediate = address.offset;
    into.run = store_handler<StoreCallParameter>(type);
    return require(into.run != nullptr, from);
  }
  decode_address(decoder, address, into);
  if (from.has("shared") || from.has("shared::cta"))
    into.run = store_handler<Store<Shared>::Of>(type);
  else if (from.has("local"))
    into.run = store_handler<Store<Local>::Of>(type);
  else
    into.run = store_handler<Store<Global>::Of>(type);
  require(into.run != nullptr, from);
}

void nothing(Warp&, const Instruction&) {}
void decode_nothing(Decoder&, const ptx::Instruction&, Instruction& into) { into.run = nothing; }

constexpr OpRow kRows[] = {
    {"ld", decode_ld},
    {"ldu", decode_ld},
    {"st", decode_st},
    {"prefetch", decode_nothing},
    {"prefetchu", decode_nothing},
    {"discard", decode_nothing},
};

}  // namespace

const std::span<const OpRow> kMemoryOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
