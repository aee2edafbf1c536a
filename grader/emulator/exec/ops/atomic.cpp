// SPDX-License-Identifier: MIT
// PTX ISA 9.7.13, atom and red: lane after lane, in lane order.

#include "emulator/counters/atomic_cost.h"
#include "emulator/counters/footprint.h"
#include "emulator/exec/access.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/ptxas/uniform.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// An operation of two operands: the third is for atom.cas alone.
template <class Op>
struct Of {
  template <class T>
  T operator()(T old, T b, T) const {
    return Op{}(old, b);
  }
};
struct Exch {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct Inc {
  template <class T>
  T operator()(T old, T b, T) const {
    return old >= b ? T{0} : old + 1;
  }
};
struct Dec {
  template <class T>
  T operator()(T old, T b, T) const {
    return old == 0 || old > b ? b : old - 1;
  }
};
struct Cas {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};

/// Single-precision adds to global memory flush denormals; those to shared memory do not (PTX ISA,
/// atom).
template <bool Flush, class T>
T flushed(T value) {
  if constexpr (Flush && std::is_same_v<T, float>) return flush(value);
  return value;
}

using Wide = unsigned __int128;

/// Unsigned integers of a value's size, on which the host's atomic operations work.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 16, Wide,
                       std::conditional_t<sizeof(T) == 8, uint64_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>>;

template <class Bits>
bool compare_and_swap(Bits* place, Bits& old, Bits after) {
  if constexpr (sizeof(Bits) == 16) {
    const Bits seen = __sync_val_compare_and_swap(place, old, after);
    const bool swapped = seen == old;
    old = seen;
    return swapped;
  } else {
    return __atomic_compare_exchange_n(place, &old, after, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
  }
}

template <class T>
struct Exchanged {
  T old{};
  bool is_update = false;  ///< whether it changed what was there
};

/// Other blocks may run at the same time on other threads of the host.
template <class Op, class T>
Exchanged<T> exchange_global(void* place, T b, T c) {
  using Bits = BitsOf<T>;
  auto* const bits = static_cast<Bits*>(place);
  Bits old;
  // A torn read of 16 bytes only makes the first attempt fail.
  std::memcpy(&old, bits, sizeof old);
  while (true) {
    const T before = flushed<true>(std::bit_cast<T>(old));
    const Bits after = std::bit_cast<Bits>(flushed<true>(Op{}(before, flushed<true>(b), c)));
    if (compare_and_swap(bits, old, after)) return {std::bit_cast<T>(old), after != old};
  }
}

template <class Op, class T>
Exchanged<T> exchange_shared(void* place, T b, T c) {
  T old;
  std::memcpy(&old, place, sizeof old);
  const T after = Op{}(old, b, c);
  std::memcpy(place, &after, sizeof after);
  return {old, false};
}

/// Kept in Instruction::bytes.
enum AddressKind : uint8_t { kOneSpace, kGeneric };

void count_shared(Warp& warp, const Instruction& i, uint32_t lanes, const uint64_t* addresses,
                  unsigned bytes) {
  ExecutionCount& counts = warp.worker->counts[i.pc];
  ++(i.bytes == kGeneric ? warp.worker->rare[i.pc].shared_requests : counts.requests);
  const uint32_t home = lanes_at_home(*warp.block, lanes, addresses);
  if (home == 0) return;
  const SharedAtomicCost cost =
      shared_atomic_cost(static_cast<SharedAtomic>(i.elements), home, addresses, bytes);
  counts.wavefronts += cost.atomics.wavefronts;
  counts.conflicts += cost.atomics.conflicts;
  RareCount& rare = warp.worker->rare[i.pc];
  rare.loads += cost.loads;
  rare.loop_lanes += cost.lanes;
  rare.load_wavefronts += cost.of_loads.wavefronts;
  rare.load_conflicts += cost.of_loads.conflicts;
  count_far(warp, i, lanes, addresses);
}

/// Measured on an H200 (model/README.md).
AtomicTurns turns_of(Warp& warp, const Instruction& i, bool merged) {
  constexpr double kFloating = 3.7, kRepeat = 1.5, kDouble = 1.5;
  const std::string_view opcode = warp.worker->launch->module->program.opcodes[i.pc];
  const bool floating = opcode.find(".f") != std::string_view::npos;
  AtomicTurns turns;
  if (opcode.find(".f64") != std::string_view::npos) turns.first = kDouble;
  if (floating || i.d != kNoRegister) turns.repeat = turns.first * kRepeat;
  if (floating) turns.wait = kFloating;
  if (merged) turns.repeat = 0;
  return turns;
}

void count_global(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes) {
  uint32_t shared = 0;
  for_each_lane(warp.mask, [&](int lane) {
    if (is_shared_address(addresses[lane])) shared |= 1u << lane;
  });
  if (shared != 0) count_shared(warp, i, shared, addresses, bytes);
  const uint32_t global = warp.mask & ~shared;
  if (global == 0) return;
  const bool merged = static_cast<SharedAtomic>(i.elements) == SharedAtomic::merged;
  ExecutionCount& counts = warp.worker->counts[i.pc];
  ++counts.requests;
  warp.worker->block_atomics[warp.block->linear_index] +=
      static_cast<uint64_t>(std::popcount(global));
  counts.sectors += merged ? 1 : atomic_sectors(global, addresses, bytes);
  if (warp.worker->footprint != nullptr) {
    warp.worker->footprint->atomic(warp.index, global, addresses, turns_of(warp, i, merged));
  }
}

/// Counts the lanes that change an address of global memory, all that follow each other on one address at once.
struct Updates {
  uint64_t address = 0, count = 0;

  void add(Warp& warp, uint64_t at) {
    if (at != address) note(warp);
    address = at;
    ++count;
  }
  void note(Warp& warp) {
    if (count != 0) note_atomic_updates(warp, address, count);
    count = 0;
  }
};

enum Place : uint8_t { kGlobal, kShared };

template <Place Where>
uint8_t* atomic_pointer(Warp& warp, const Instruction& i, int lane, uint64_t address,
                        unsigned bytes) {
  return Where == kShared ? shared_pointer(warp, i, lane, address, bytes, true)
                          : lane_pointer(warp, i, lane, address, bytes, true);
}

/// What lies at the address, or null. A compare-and-swap changes the bits alone in which its operands differ.
template <class Op, class T, Place Where>
uint8_t* target_of(Warp& warp, const Instruction& i, int lane, uint64_t address, T b, T c) {
  if constexpr (std::is_same_v<Op, Cas> && sizeof(T) == sizeof(uint32_t)) {
    uint32_t& swapped = warp.worker->swapped;
    swapped = std::bit_cast<uint32_t>(b) ^ std::bit_cast<uint32_t>(c);
    uint8_t* const place = atomic_pointer<Where>(warp, i, lane, address, sizeof(T));
    swapped = ~uint32_t{0};
    return place;
  }
  return atomic_pointer<Where>(warp, i, lane, address, sizeof(T));
}

template <class Op, class T>
bool keeps(const uint8_t* at, const void* b, const void* c) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T after = Op{}(old, *static_cast<const T*>(b), *static_cast<const T*>(c));
  return std::memcmp(&old, &after, sizeof old) == 0;
}

template <class Op, class T, Place Where>
void atom(Warp& warp, const Instruction& i) {
  if constexpr (std::is_same_v<Op, Cas> || std::is_same_v<Op, Exch>) warp.spins = true;
  uint64_t addresses[kWarpSize];
  for_each_lane(warp.mask, [&](int lane) {
    const uint64_t base =
        i.mode != 0 ? warp.reg<uint32_t>(i.a)[lane] : warp.reg<uint64_t>(i.a)[lane];
    addresses[lane] = base + static_cast<uint64_t>(i.immediate);
  });
  Where == kGlobal ? count_global(warp, i, addresses, sizeof(T))
                   : count_shared(warp, i, warp.mask, addresses, sizeof(T));
  const T* b = warp.reg<T>(i.b);
  const T* c = std::is_same_v<Op, Cas> ? warp.reg<T>(i.c) : b;
  const LaunchOptions& options = *warp.worker->launch->options;
  const bool drops = options.drops_atomics || (Where == kShared && options.forgets_shared) ||
                     (options.drops_reductions && i.d == kNoRegister);
  Updates updates;
  for_each_lane(warp.mask, [&](int lane) {
    const uint64_t address = addresses[lane];
    Exchanged<T> done;
    warp.worker->atomic = {keeps<Op, T>, b + lane, c + lane};
    if ((address & (sizeof(T) - 1)) != 0) {
      report_misaligned(warp, i, addresses, sizeof(T), true);
    } else if (uint8_t* const place =
                   target_of<Op, T, Where>(warp, i, lane, address, b[lane], c[lane])) {
      if (drops)
        std::memcpy(&done.old, place, sizeof done.old);
      else
        done = Where == kShared ? exchange_shared<Op, T>(place, b[lane], c[lane])
                                : exchange_global<Op, T>(place, b[lane], c[lane]);
    }
    if (done.is_update) updates.add(warp, address);
    if (i.d != kNoRegister) warp.reg<T>(i.d)[lane] = done.old;
  });
  warp.worker->atomic = {};
  updates.note(warp);
}

template <class Op, Place Where>
Handler integer_handler(Type type) {
  switch (type) {
    case Type::u32:
    case Type::b32:
      return atom<Op, uint32_t, Where>;
    case Type::s32:
      return atom<Op, int32_t, Where>;
    case Type::u64:
    case Type::b64:
      return atom<Op, uint64_t, Where>;
    case Type::s64:
      return atom<Op, int64_t, Where>;
    default:
      return nullptr;
  }
}

/// .noftz: denormals count.
struct AddHalf {
  template <class T>
  T operator()(T old, T b, T) const {
    return narrow<T>(
        sum_to_odd(static_cast<double>(to_float(old)), static_cast<double>(to_float(b))));
  }
  template <class T>
  Pair<T> operator()(Pair<T> old, Pair<T> b, Pair<T> c) const {
    return {{(*this)(old.elements[0], b.elements[0], c.elements[0]),
             (*this)(old.elements[1], b.elements[1], c.elements[1])}};
  }
};

template <Place Where>
Handler add_handler(Type type) {
  if (type == Type::f16) return atom<AddHalf, Half, Where>;
  if (type == Type::bf16) return atom<AddHalf, Bfloat, Where>;
  if (type == Type::f16x2) return atom<AddHalf, Pair<Half>, Where>;
  if (type == Type::bf16x2) return atom<AddHalf, Pair<Bfloat>, Where>;
  if (type == Type::f32) return atom<Of<Add>, float, Where>;
  if (type == Type::f64) return atom<Of<Add>, double, Where>;
  return integer_handler<Of<Add>, Where>(type);
}

template <Place Where>
Handler handler_for(const ptx::Instruction& from, Type type) {
  const bool half_word = ptx::size_of(type) == 2;
  if (from.has("cas") && half_word) return atom<Cas, uint16_t, Where>;
  if (from.has("add")) return add_handler<Where>(type);
  if (ptx::size_of(type) == 16) {
    if (from.has("exch")) return atom<Exch, Wide, Where>;
    return from.has("cas") ? atom<Cas, Wide, Where> : nullptr;
  }
  if (from.has("exch"))
    return integer_handler<Exch, Where>(ptx::size_of(type) == 8 ? Type::b64 : Type::b32);
  if (from.has("cas")) return integer_handler<Cas, Where>(type);
  if (from.has("min")) return integer_handler<Of<Min>, Where>(type);
  if (from.has("max")) return integer_handler<Of<Max>, Where>(type);
  if (from.has("inc")) return integer_handler<Inc, Where>(type);
  if (from.has("dec")) return integer_handler<Dec, Where>(type);
  if (from.has("and")) return integer_handler<Of<And>, Where>(type);
  if (from.has("or")) return integer_handler<Of<Or>, Where>(type);
  if (from.has("xor")) return integer_handler<Of<Xor>, Where>(type);
  return nullptr;
}

/// .v2, .v4, .v8: each element is an atomic of its own; the vector must be aligned as a whole.
template <class Op, class T>
void atom_vector(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  const unsigned bytes = sizeof(T) * i.elements;
  uint64_t addresses[kWarpSize] = {};
  for_each_lane(warp.mask, [&](int lane) {
    addresses[lane] = warp.reg<uint64_t>(i.a)[lane] + static_cast<uint64_t>(i.immediate);
  });
  count_global(warp, i, addresses, bytes);
  for_each_lane(warp.mask, [&](int lane) {
    if ((addresses[lane] & (bytes - 1)) != 0)
      return report_misaligned(warp, i, addresses, bytes, true);
    uint8_t* const place = lane_pointer(warp, i, lane, addresses[lane], bytes, true);
    for (unsigned element = 0; element < i.elements && place != nullptr; ++element) {
      const T b = warp.reg<T>(detail.registers[element])[lane];
      const Exchanged<T> done = exchange_global<Op, T>(place + element * sizeof(T), b, b);
      if (done.is_update) note_atomic_updates(warp, addresses[lane], 1);
      if (!detail.more.empty() && detail.more[element] != kNoRegister)
        warp.reg<T>(detail.more[element])[lane] = done.old;
    }
  });
}

Handler vector_handler(const ptx::Instruction& from, Type type) {
  if (!from.has("add") || from.has("shared")) return nullptr;
  if (type == Type::f32) return atom_vector<Of<Add>, float>;
  if (type == Type::f16) return atom_vector<AddHalf, Half>;
  if (type == Type::bf16) return atom_vector<AddHalf, Bfloat>;
  if (type == Type::f16x2) return atom_vector<AddHalf, Pair<Half>>;
  return type == Type::bf16x2 ? atom_vector<AddHalf, Pair<Bfloat>> : nullptr;
}

void decode_vector(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                   const ptx::Operand* target, size_t first) {
  const Type type = last_type(from);
  const ptx::Operand& address = from.operands[first];
  const auto& values = from.operands[first + 1].elements;
  into.run = vector_handler(from, type);
  require(into.run != nullptr && (values.size() == 2 || values.size() == 4 || values.size() == 8),
          from);
  require(values.size() * ptx::size_of(type) <= 16, from);
  require(address.reg < 0 || decoder.register_bytes(address) == 8, from);
  decoder.address(address, into);
  into.elements = static_cast<uint8_t>(values.size());
  into.memory_slot = decoder.program().memory_slots++;
  Detail detail;
  for (const ptx::Operand& value : values) detail.registers.push_back(decoder.source(value, type));
  if (target != nullptr && target->kind == ptx::Operand::Kind::vector) {
    require(target->elements.size() == values.size(), from);
    for (const ptx::Operand& element : target->elements) {
      const bool is_read = element.reg >= 0 && decoder.is_read(element);
      detail.more.push_back(is_read ? decoder.destination(element) : kNoRegister);
      // Without a reader it counts as a reduction, which an instruction without a target is.
      if (is_read) into.d = detail.more.back();
    }
  }
  decoder.new_detail(into) = std::move(detail);
  decoder.code().has_ordered_atomics = true;
}

bool has_shared(const ptx::Instruction& from) {
  return from.has("shared") || from.has("shared::cta") || from.has("shared::cluster");
}

/// With the same address in all lanes, ptxas has one of them do it for all (seen on cc 9.0).
bool merges(const ptx::Instruction& from, Type type, bool result_used) {
  const bool whole_word = type == Type::u32 || type == Type::s32 || type == Type::b32;
  if (!whole_word || from.has("cas") || from.has("exch") || from.has("inc") || from.has("dec"))
    return false;
  return from.has("add") || !result_used;
}

/// The same for 64-bit sums of one value for all lanes in global memory: one lane adds that value
/// times the number of lanes.
bool merges_product(const ptx::Instruction& from, Type type) {
  return ptx::size_of(type) == 8 && type != Type::f64 && from.has("add") && !has_shared(from);
}

SharedAtomic in_hardware(const Decoder& decoder, const ptx::Instruction& from, Type type,
                         const ptx::Operand& address, const ptx::Operand& value, bool result_used) {
  const bool same_value = is_uniform(decoder.function(), value);
  const bool merged = merges(from, type, result_used) || (same_value && merges_product(from, type));
  if (merged && is_uniform(decoder.function(), address)) return SharedAtomic::merged;
  if (from.has("cas")) return SharedAtomic::swap;
  if (from.has("exch")) return SharedAtomic::native;
  const bool floating = type == Type::f32 || is_packed(type);
  if (floating || ptx::size_of(type) != 4) return SharedAtomic::loop;
  // A generic address may be one of global memory, for which no instruction counts.
  const bool counts = has_shared(from) && from.has("add") && value.bits == 1 &&
                      value.kind == ptx::Operand::Kind::integer && !result_used;
  return counts ? SharedAtomic::count : SharedAtomic::native;
}

/// With `order`, the blocks of the launch must run one after another for the result to repeat.
bool depends_on_order(const ptx::Instruction& from, Type type, bool result_used) {
  const bool floating =
      type == Type::f32 || type == Type::f64 || (from.has("add") && is_packed(type));
  return result_used || floating || from.has("exch") || from.has("cas") || from.has("inc") ||
         from.has("dec");
}

void decode(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
            const ptx::Operand* target, size_t first) {
  const Type type = last_type(from);
  require_operands(from, first + 2);
  if (from.operands[first + 1].kind == ptx::Operand::Kind::vector)
    return decode_vector(decoder, from, into, target, first);
  const bool shared = has_shared(from);
  into.run = shared ? handler_for<kShared>(from, type) : handler_for<kGlobal>(from, type);
  require(into.run != nullptr, from);
  decoder.address(from.operands[first], into);
  into.mode = from.operands[first].reg >= 0 && decoder.register_bytes(from.operands[first]) == 4;
  into.memory_slot = decoder.program().memory_slots++;
  into.b = decoder.source(from.operands[first + 1], type);
  if (from.has("cas")) {
    require_operands(from, first + 3);
    into.c = decoder.source(from.operands[first + 2], type);
  }
  // Without a reader for the old value, ptxas makes it a reduction, and so do we.
  const bool result_used = target != nullptr && decoder.is_read(*target);
  if (result_used) into.d = decoder.destination(*target);
  into.bytes = shared || from.has("global") ? kOneSpace : kGeneric;
  into.elements = static_cast<uint8_t>(in_hardware(decoder, from, type, from.operands[first],
                                                   from.operands[first + 1], result_used));
  if (!shared && depends_on_order(from, type, result_used))
    decoder.code().has_ordered_atomics = true;
}

void decode_atom(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  decode(decoder, from, into, &from.operands[0], 1);
}
void decode_red(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(!from.has("async"), from);
  decode(decoder, from, into, nullptr, 0);
}

constexpr OpRow kRows[] = {{"atom", decode_atom}, {"red", decode_red}};

}  // namespace

const std::span<const OpRow> kAtomicOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
