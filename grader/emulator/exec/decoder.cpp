// SPDX-License-Identifier: MIT
#include "emulator/exec/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/exec/warp.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

constexpr uint64_t kRegisterAlignment = 64;
/// The widest register, .b128. A frame ends with as much, so that an instruction which takes a
/// register for wider than it was declared stays inside the frame.
constexpr unsigned kWidestBytes = 16;
constexpr uint64_t kMaxFrameBytes = uint64_t{64} << 20;
/// The limit of sm_70 and above of a kernel's parameters (PTX ISA, section 5.1.6).
constexpr uint64_t kMaxKernelParameterBytes = 32764;

/// A register of one byte, which only ld, st and cvt take, has room for two, as the handlers expect.
unsigned lane_bytes(ptx::Type type) { return std::max(ptx::size_of(type), 2u); }

struct SpecialName {
  std::string_view name;
  SpecialRegister which;
};
constexpr SpecialName kSpecialNames[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    {"%envreg1", SpecialRegister::envreg1},
    {"%envreg2", SpecialRegister::envreg2},
    {"%cluster_ctaid.x", SpecialRegister::cluster_ctaid_x},
    {"%cluster_ctaid.y", SpecialRegister::cluster_ctaid_y},
    {"%cluster_ctaid.z", SpecialRegister::cluster_ctaid_z},
    {"%cluster_nctaid.x", SpecialRegister::cluster_nctaid_x},
    {"%cluster_nctaid.y", SpecialRegister::cluster_nctaid_y},
    {"%cluster_nctaid.z", SpecialRegister::cluster_nctaid_z},
    {"%cluster_ctarank", SpecialRegister::cluster_ctarank},
    {"%cluster_nctarank", SpecialRegister::cluster_nctarank},
    {"%clusterid.x", SpecialRegister::clusterid_x},
    {"%clusterid.y", SpecialRegister::clusterid_y},
    {"%clusterid.z", SpecialRegister::clusterid_z},
    {"%nclusterid.x", SpecialRegister::nclusterid_x},
    {"%nclusterid.y", SpecialRegister::nclusterid_y},
    {"%nclusterid.z", SpecialRegister::nclusterid_z},
    {"%is_explicit_cluster", SpecialRegister::is_explicit_cluster},
};

/// Bits of a floating-point immediate as the instruction's type wants them.
uint64_t float_bits(const Operand& operand, ptx::Type type) {
  if (operand.kind == Operand::Kind::float32 && type == ptx::Type::f64) {
    return std::bit_cast<uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  }
  if (operand.kind == Operand::Kind::float64 && type == ptx::Type::f32) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  }
  return operand.bits;
}

/// PTX ISA 9.7.20: which byte or half of a register a video instruction takes, as ".b1" and ".h10"; empty where none is.
std::string_view selector_of(std::string_view operand) {
  const size_t dot = operand.find('.');
  if (dot == std::string_view::npos || dot + 2 >= operand.size()) return {};
  const std::string_view part = operand.substr(dot);
  const bool is_selector = part[1] == 'b' || part[1] == 'h';
  return is_selector && part.find_first_not_of("0123456789", 2) == std::string_view::npos
             ? part
             : std::string_view();
}

}  // namespace

Decoder::Decoder(const ptx::Module& module, const ptx::Function& function, const Names& names,
                 const SwappedAddresses& swapped, Program& program, FunctionCode& code)
    : module_(module),
      function_(function),
      names_(names),
      program_(program),
      code_(code),
      places_(function),
      swapped_(swapped.in(function, places_)) {
  lay_out_registers();
  lay_out_variables();
}

bool Decoder::is_guess(const Operand& address) const {
  return !swapped_.empty() && swapped_.count(places_.of(address)) != 0;
}

void Decoder::lay_out_registers() {
  read_.assign(function_.registers.size(), false);
  used_.assign(function_.registers.size(), false);
  for (const ptx::Instruction& instruction : function_.body) {
    if (instruction.guard >= 0) read_[static_cast<size_t>(instruction.guard)] = true;
    const bool stores = instruction.opcode == "st" && !instruction.has("param");
    const bool writes_first = instruction.opcode != "st" && instruction.opcode != "red" &&
                              instruction.opcode != "sust" && instruction.opcode != "bar" &&
                              instruction.opcode != "barrier" && instruction.opcode != "brx";
    for (size_t index = 0; index < instruction.operands.size(); ++index) {
      const Operand& operand = instruction.operands[index];
      if (index > 0 || !writes_first || operand.is_address || instruction.opcode == "call")
        mark_reads(operand, stores && index > 0);
    }
  }
  for (const ptx::Register& declared : function_.registers) {
    registers_.push_back(declared.type == ptx::Type::pred
                             ? new_register(0)
                             : new_register(lane_bytes(declared.type)));
  }
}

void Decoder::mark_reads(const Operand& operand, bool stored) {
  if (operand.reg >= 0) {
    read_[static_cast<size_t>(operand.reg)] = true;
    if (!stored) used_[static_cast<size_t>(operand.reg)] = true;
  }
  for (const Operand& element : operand.elements) mark_reads(element, stored);
}

void Decoder::lay_out_variables() {
  size_t offset = 0;
  for (const ptx::Variable& parameter : function_.parameters) {
    if (function_.is_entry) {
      offset = round_up(offset, parameter.alignment);
      kernel_parameters_[parameter.name] = static_cast<int64_t>(offset);
      code_.info.parameters.push_back({offset, parameter.size, parameter.alignment});
      offset += parameter.size;
    } else {
      code_.parameters.push_back(new_slot(parameter));
      own_slots_[parameter.name] = code_.parameters.back();
    }
  }
  if (offset > kMaxKernelParameterBytes)
    throw TooLarge{fmt::format("the parameters of {} take {} bytes, {} is the most", function_.name,
                               offset, kMaxKernelParameterBytes)};
  code_.info.parameter_bytes = offset;
  for (const ptx::Variable& value : function_.returns) {
    code_.returns.push_back(new_slot(value));
    own_slots_[value.name] = code_.returns.back();
  }
  uint64_t local = 0;
  for (int index = 0; index < static_cast<int>(function_.variables.size()); ++index) {
    const ptx::Variable& variable = function_.variables[static_cast<size_t>(index)];
    if (variable.space == ptx::Space::parameter) {
      call_slots_[index] = new_slot(variable);
    } else if (variable.space == ptx::Space::local) {
      local = round_up(local, std::max<uint64_t>(variable.alignment, 4));
      local_offsets_[index] = static_cast<int64_t>(local);
      local += variable.size;
    }
  }
  if (local > kMaxLocalBytes)
    throw TooLarge{fmt::format("the local memory of {} takes {} bytes, {} is the most",
                               function_.name, local, kMaxLocalBytes)};
  code_.local_bytes = static_cast<uint32_t>(round_up(local, 16));
  code_.info.local_bytes = local;
}

uint32_t Decoder::new_register(uint64_t lane_bytes) {
  const uint32_t offset = code_.frame_bytes;
  if (lane_bytes > kMaxFrameBytes / kWarpSize ||
      offset + std::max(lane_bytes * kWarpSize, kRegisterAlignment) > kMaxFrameBytes) {
    throw TooLarge{fmt::format("the registers and parameters of {} take more than {} MiB a warp",
                               function_.name, kMaxFrameBytes >> 20)};
  }
  code_.frame_bytes += static_cast<uint32_t>(std::max(lane_bytes * kWarpSize, kRegisterAlignment));
  return offset;
}

ParameterSlot Decoder::new_slot(const ptx::Variable& variable) {
  const uint32_t offset = new_register(round_up(variable.size, 4));
  return {variable.name, offset, static_cast<uint32_t>(variable.size)};
}

uint32_t Decoder::constant(uint64_t bits, unsigned size) {
  if (size < 8) bits &= (uint64_t{1} << (8 * size)) - 1;
  const auto [found, is_new] = constants_.try_emplace({bits, size}, 0);
  if (is_new) found->second = new_register(size);
  return found->second;
}

uint32_t Decoder::special(SpecialRegister which) {
  const auto [found, is_new] = specials_.try_emplace(which, 0);
  // 64 bits wide, so that a 64-bit read of %gridid or a widened %tid stays inside it.
  if (is_new) found->second = new_register(8);
  return found->second;
}

uint32_t Decoder::source(const Operand& operand, ptx::Type type) {
  const unsigned size = std::max(ptx::size_of(type), 2u);
  switch (operand.kind) {
    case Operand::Kind::reg:
      return registers_[static_cast<size_t>(operand.reg)];
    case Operand::Kind::integer:
      if (type == ptx::Type::pred) return constant(operand.bits != 0 ? kFullMask : 0, 4);
      return constant(operand.bits, size);
    case Operand::Kind::float32:
    case Operand::Kind::float64:
      return constant(float_bits(operand, type), size);
    case Operand::Kind::special:
      for (const SpecialName& special_name : kSpecialNames) {
        if (special_name.name == operand.name) return special(special_name.which);
      }
      if (operand.name == "%reserved_smem_offset_1") {
        program_.uses_reserved_shared = true;
        return special(SpecialRegister::reserved_smem_offset);
      }
      if (operand.name.starts_with("%envreg")) return special(SpecialRegister::zero);
      if (const std::string_view selector = selector_of(operand.name); !selector.empty())
        throw Unsupported{fmt::format("the selector {} is not emulated", selector)};
      throw Unsupported{fmt::format("the special register {} is not emulated", operand.name)};
    case Operand::Kind::symbol:
      break;
    default:
      throw Unsupported{"an operand of an unexpected kind"};
  }
  const auto with_offset = [&](uint64_t address) {
    return constant(address + static_cast<uint64_t>(operand.offset), size);
  };
  if (const int64_t offset = shared_offset(operand); offset >= 0)
    return with_offset(static_cast<uint64_t>(offset));
  if (const int64_t offset = kernel_parameter(operand.name); offset >= 0)
    return with_offset(static_cast<uint64_t>(offset));
  if (const auto found = names_.variables.find(operand.name); found != names_.variables.end()) {
    return with_offset(found->second.address);
  }
  if (const auto found = names_.functions.find(operand.name); found != names_.functions.end()) {
    return with_offset(kFunctionBase + found->second);
  }
  throw Unsupported{fmt::format("{} is not defined in this module", operand.name)};
}

uint32_t Decoder::destination(const Operand& operand) {
  if (operand.kind == Operand::Kind::sink) {
    if (sink_ == kNoRegister) sink_ = new_register(kWidestBytes);
    return sink_;
  }
  if (operand.kind != Operand::Kind::reg) throw Unsupported{"a destination that is no register"};
  return registers_[static_cast<size_t>(operand.reg)];
}

void Decoder::address(const Operand& operand, Instruction& into) {
  if (!operand.is_address) throw Unsupported{"an address without brackets"};
  into.immediate = operand.offset;
  if (operand.kind == Operand::Kind::reg) {
    into.a = registers_[static_cast<size_t>(operand.reg)];
    return;
  }
  if (local_offset(operand) >= 0) throw Unsupported{"a .local variable addressed by name"};
  Operand base = operand;
  base.offset = 0;
  into.a = source(base, ptx::Type::u64);
}

unsigned Decoder::register_bytes(const Operand& operand) const {
  if (operand.reg < 0) return 8;
  return lane_bytes(function_.registers[static_cast<size_t>(operand.reg)].type);
}

Detail& Decoder::new_detail(Instruction& into) {
  into.detail = static_cast<uint32_t>(program_.details.size());
  program_.details.emplace_back();
  return program_.details.back();
}

uint32_t Decoder::branch_list(std::string_view name) const {
  const auto found = branch_lists_.find(name);
  return found == branch_lists_.end() ? kNoDetail : found->second;
}

int64_t Decoder::label(const Operand& operand) const {
  const auto found = function_.labels.find(operand.name);
  if (found == function_.labels.end())
    throw Unsupported{fmt::format("the label {} does not exist", operand.name)};
  return static_cast<int64_t>(code_.first + found->second);
}

const ParameterSlot* Decoder::parameter_slot(const Operand& operand) const {
  if (operand.kind != Operand::Kind::symbol) return nullptr;
  if (const auto found = call_slots_.find(operand.variable); found != call_slots_.end())
    return &found->second;
  const auto own = own_slots_.find(operand.name);
  return own == own_slots_.end() ? nullptr : &own->second;
}

int64_t Decoder::kernel_parameter(std::string_view name) const {
  const auto found = kernel_parameters_.find(name);
  return found == kernel_parameters_.end() ? -1 : found->second;
}

int64_t Decoder::local_offset(const Operand& operand) const {
  if (operand.kind != Operand::Kind::symbol) return -1;
  const auto found = local_offsets_.find(operand.variable);
  if (found == local_offsets_.end()) return -1;
  return static_cast<int64_t>(static_cast<uint64_t>(found->second) +
                              static_cast<uint64_t>(operand.offset));
}

int64_t Decoder::shared_offset(const Operand& operand) const {
  if (operand.kind != Operand::Kind::symbol) return -1;
  const std::string name = operand.variable >= 0
                               ? fmt::format("{}::{}", function_.name, operand.name)
                               : std::string(operand.name);
  const auto found = names_.shared.find(name);
  return found == names_.shared.end() ? -1 : int64_t{found->second.offset};
}

bool Decoder::is_read(const Operand& operand) const {
  return operand.reg >= 0 && read_[static_cast<size_t>(operand.reg)];
}

uint8_t Decoder::moved_elements(const Operand& operand) const {
  const auto moves = [&](const Operand& element) {
    return element.reg < 0 || !used_[static_cast<size_t>(element.reg)];
  };
  if (operand.elements.empty()) return moves(operand) ? 1 : 0;
  const bool all = std::all_of(operand.elements.begin(), operand.elements.end(), moves);
  unsigned bits = 0;
  for (size_t index = 0; index < operand.elements.size(); ++index)
    bits |= static_cast<unsigned>(all || !is_read(operand.elements[index])) << index;
  return static_cast<uint8_t>(bits);
}

void Decoder::finish() {
  new_register(kWidestBytes);
  code_.registers = registers_;
  for (const auto& [which, offset] : specials_) code_.specials.emplace_back(which, offset);
  for (const auto& [value, offset] : constants_) {
    const auto& [bits, size] = value;
    code_.constants.push_back({offset, bits, static_cast<uint8_t>(size)});
  }
}

}  // namespace warpgrade::emulator
