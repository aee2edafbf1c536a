// SPDX-License-Identifier: MIT
// PTX ISA 9.7.18, stack manipulation: alloca, stacksave, stackrestore. Addresses are those of local memory.

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

constexpr uint64_t kStackAlignment = 16;

/// All lanes take as much as the one that asks for most, so that the next frame begins at one place. Instruction::immediate
/// is the alignment.
template <class T>
void alloca_bytes(Warp& warp, const Instruction& i) {
  Frame& frame = *warp.frame;
  uint64_t most = 0;
  for_each_lane(warp.mask,
                [&](int lane) { most = std::max<uint64_t>(most, warp.reg<T>(i.a)[lane]); });
  const auto alignment = static_cast<uint64_t>(i.immediate);
  const uint64_t end = end_of_local(frame);
  const uint64_t begin = round_up(end, std::max(alignment, kStackAlignment));
  if (most > kMaxLocalBytes || begin + most > kMaxLocalBytes) {
    report_fault(warp, i, LaunchStatus::illegal_address, 103, 0, warp.mask, say("memory.stack"));
    return stop(warp);
  }
  frame.taken_local += static_cast<uint32_t>(round_up(begin + most, kStackAlignment) - end);
  provide_local(warp, warp.mask, begin, most);
  write_lanes<T>(warp, i.d, [=](int) { return static_cast<T>(begin); });
}

template <class T>
void stacksave(Warp& warp, const Instruction& i) {
  const auto end = static_cast<T>(end_of_local(*warp.frame));
  write_lanes<T>(warp, i.d, [=](int) { return end; });
}

/// Lanes that go their own way keep what they all have taken.
template <class T>
void stackrestore(Warp& warp, const Instruction& i) {
  Frame& frame = *warp.frame;
  if (warp.mask != frame.lanes) return;
  const uint64_t end = warp.reg<T>(i.a)[first_lane(warp.mask)];
  const uint64_t declared = uint64_t{frame.local_base} + frame.function->local_bytes;
  if (end >= declared && end <= end_of_local(frame))
    frame.taken_local = static_cast<uint32_t>(end - declared);
}

void choose_width(const ptx::Instruction& from, Instruction& into, Handler narrow, Handler wide) {
  const Type type = last_type(from);
  require(type == Type::u32 || type == Type::u64, from);
  into.run = type == Type::u32 ? narrow : wide;
  into.flags |= Instruction::kControl;
}

void decode_alloca(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  choose_width(from, into, alloca_bytes<uint32_t>, alloca_bytes<uint64_t>);
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], last_type(from));
  if (from.operands.size() < 3) return;
  const uint64_t alignment = from.operands[2].bits;
  require(from.operands[2].kind == ptx::Operand::Kind::integer && alignment <= kMaxLocalBytes &&
              (alignment & (alignment - 1)) == 0,
          from);
  into.immediate = static_cast<int64_t>(alignment);
}
void decode_stacksave(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  choose_width(from, into, stacksave<uint32_t>, stacksave<uint64_t>);
  into.d = decoder.destination(from.operands[0]);
}
void decode_stackrestore(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  choose_width(from, into, stackrestore<uint32_t>, stackrestore<uint64_t>);
  into.a = decoder.source(from.operands[0], last_type(from));
}

constexpr OpRow kRows[] = {{"alloca", decode_alloca},
                           {"stacksave", decode_stacksave},
                           {"stackrestore", decode_stackrestore}};

}  // namespace

const std::span<const OpRow> kStackOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
