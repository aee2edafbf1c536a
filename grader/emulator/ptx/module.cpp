// SPDX-License-Identifier: MIT
#include "emulator/ptx/module.h"

#include <algorithm>
#include <array>

namespace warpgrade::emulator::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  unsigned size;
};

constexpr std::array<TypeRow, 22> kTypes = {{
    {"u16x2", Type::u16x2, 4},   {"s16x2", Type::s16x2, 4}, {"b8", Type::b8, 1},
    {"b16", Type::b16, 2},       {"b32", Type::b32, 4},     {"b64", Type::b64, 8},
    {"b128", Type::b128, 16},    {"u8", Type::u8, 1},       {"u16", Type::u16, 2},
    {"u32", Type::u32, 4},       {"u64", Type::u64, 8},     {"s8", Type::s8, 1},
    {"s16", Type::s16, 2},       {"s32", Type::s32, 4},     {"s64", Type::s64, 8},
    {"f16", Type::f16, 2},       {"f16x2", Type::f16x2, 4}, {"bf16", Type::bf16, 2},
    {"bf16x2", Type::bf16x2, 4}, {"f32", Type::f32, 4},     {"f64", Type::f64, 8},
    {"pred", Type::pred, 4},
}};

}  // namespace

unsigned size_of(Type type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.size;
  }
  return 0;
}

Type type_named(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return Type::none;
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

const Function* Module::find_function(std::string_view name) const {
  const Function* declared = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (function.has_body) return &function;
    declared = &function;
  }
  return declared;
}

}  // namespace warpgrade::emulator::ptx
