// SPDX-License-Identifier: MIT
// PTX ISA 9.7.14, ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16 bits between shared memory
// and the registers of a warp, and from registers to registers.

#include <algorithm>

#include "emulator/exec/access.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// Where element `sub` of lane's word lies in an 8 x 8 matrix of 16 bits.
unsigned tile_index(int lane, unsigned sub, bool transposed) {
  const unsigned row = static_cast<unsigned>(lane) / 4,
                 column = static_cast<unsigned>(lane) % 4 * 2 + sub;
  return transposed ? column * 8 + row : row * 8 + column;
}

uint64_t row_address(const Warp& warp, const Instruction& i, int lane) {
  return (i.bytes == 4 ? warp.reg<uint32_t>(i.a)[lane] : warp.reg<uint64_t>(i.a)[lane]) +
         static_cast<uint64_t>(i.immediate);
}

/// A matrix is one access of 32 words.
void count_tile(Warp& warp, const Instruction& i, int first_row, bool store) {
  uint64_t words[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    words[lane] = row_address(warp, i, first_row + lane / 4) + static_cast<uint64_t>(lane % 4) * 4;
  }
  const SharedCost cost = shared_cost(kFullMask, words, 4, store);
  ExecutionCount& counts = warp.worker->counts[i.pc];
  ++counts.requests;
  counts.wavefronts += cost.wavefronts;
  counts.conflicts += cost.conflicts;
}

/// Lanes 8n to 8n+7 hold the addresses of the rows of matrix n, 16 bytes each.
template <bool Load>
void move_tiles(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  for (unsigned tile = 0; tile < detail.registers.size(); ++tile) {
    uint32_t* const words = warp.reg<uint32_t>(detail.registers[tile]);
    uint16_t values[64] = {};
    count_tile(warp, i, static_cast<int>(tile) * 8, !Load);
    const auto rows = [&](auto move) {
      for (int row = 0; row < 8; ++row) {
        const int lane = static_cast<int>(tile) * 8 + row;
        uint8_t* const host = shared_pointer(warp, i, lane, row_address(warp, i, lane), 16, !Load);
        if (host != nullptr) move(host, values + row * 8);
      }
    };
    if (Load) rows([](const uint8_t* host, uint16_t* row) { std::memcpy(row, host, 16); });
    for_each_lane(warp.mask, [&](int lane) {
      if (Load) words[lane] = 0;
      for (unsigned sub = 0; sub < 2; ++sub) {
        uint16_t& value = values[tile_index(lane, sub, i.mode != 0)];
        if (Load)
          words[lane] |= static_cast<uint32_t>(value) << (16 * sub);
        else
          value = static_cast<uint16_t>(words[lane] >> (16 * sub));
      }
    });
    if (!Load) rows([](uint8_t* host, const uint16_t* row) { std::memcpy(host, row, 16); });
  }
}

template <bool Load>
void decode_tiles(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  require(from.has("m8n8") && from.has("b16"), from);
  const ptx::Operand &address = from.operands[Load ? 1 : 0], &list = from.operands[Load ? 0 : 1];
  into.run = move_tiles<Load>;
  into.mode = from.has("trans");
  decoder.address(address, into);
  into.bytes = address.reg >= 0 ? static_cast<uint8_t>(decoder.register_bytes(address)) : 8;
  std::vector<uint32_t> registers;
  const std::vector<ptx::Operand> single{list};
  for (const ptx::Operand& element :
       list.kind == ptx::Operand::Kind::vector ? list.elements : single)
    registers.push_back(Load ? decoder.destination(element) : decoder.source(element, Type::b32));
  require(registers.size() <= 4 &&
              std::find(registers.begin(), registers.end(), kNoRegister) == registers.end(),
          from);
  decoder.new_detail(into).registers = std::move(registers);
}

void transpose(Warp& warp, const Instruction& i) {
  const uint32_t* a = warp.reg<uint32_t>(i.a);
  uint16_t values[64] = {};
  for_each_lane(warp.mask, [&](int lane) {
    for (unsigned sub = 0; sub < 2; ++sub)
      values[tile_index(lane, sub, false)] = static_cast<uint16_t>(a[lane] >> (16 * sub));
  });
  write_lanes<uint32_t>(warp, i.d, [&](int lane) {
    return values[tile_index(lane, 0, true)] |
           static_cast<uint32_t>(values[tile_index(lane, 1, true)]) << 16;
  });
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void decode_movmatrix(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(from.has("m8n8") && from.has("trans") && from.has("b16"), from);
  into.run = transpose;
  unary_operands(decoder, from, into, Type::b32);
}

constexpr OpRow kRows[] = {
    {"ldmatrix", decode_tiles<true>},
    {"stmatrix", decode_tiles<false>},
    {"movmatrix", decode_movmatrix},
};

}  // namespace

const std::span<const OpRow> kTileOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
