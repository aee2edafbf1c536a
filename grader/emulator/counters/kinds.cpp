// SPDX-License-Identifier: MIT
#include "emulator/counters/kinds.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace warpgrade::emulator {
namespace {

bool has(std::string_view opcode, std::string_view modifier) {
  for (size_t at = opcode.find(modifier); at != std::string_view::npos;
       at = opcode.find(modifier, at + 1)) {
    const size_t end = at + modifier.size();
    if (at > 0 && opcode[at - 1] == '.' &&
        (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':'))
      return true;
  }
  return false;
}

std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool is_one_of(std::string_view base, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), base) != names.end();
}

CountedSpace space_of(std::string_view opcode) {
  if (has(opcode, "shared")) return CountedSpace::shared;
  if (has(opcode, "local")) return CountedSpace::local;
  return has(opcode, "global") ? CountedSpace::global : CountedSpace::generic;
}

/// Without a reader for the old value ptxas makes it a reduction, but not by a generic address, and
/// an exchange never.
std::string_view atomic_op(std::string_view opcode, bool may_reduce) {
  const bool reduces = may_reduce && space_of(opcode) == CountedSpace::global &&
                       !has(opcode, "exch") && !has(opcode, "cas");
  return reduces ? "red" : "atom";
}

/// f16, f32 or f64 where the opcode's last type is one of floating point, else empty.
std::string_view floating_kind(std::string_view opcode) {
  const std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (type == "f32") return "fp32";
  if (type == "f64") return "fp64";
  return is_one_of(type, {"f16", "f16x2", "bf16", "bf16x2"}) ? "fp16" : std::string_view{};
}

/// One row of what ptxas makes; an empty optional stands for either.
struct ArithmeticRow {
  std::string_view base;
  std::array<Arithmetic, 3> made;  ///< those without a name are not there
  bool is_double = false, is_full = false;
  std::optional<bool> is_approximate = std::nullopt, ftz = std::nullopt;
};

// Read off the SASS that ptxas makes of each opcode. Predicated steps for very large and small numbers are left out.
// clang-format off
constexpr ArithmeticRow kArithmetic[] = {
  {.base = "add", .made = {{{"fadd"}}}}, {.base = "sub", .made = {{{"fadd"}}}}, {.base = "mul", .made = {{{"fmul"}}}},
  {.base = "fma", .made = {{{"ffma"}}}}, {.base = "mad", .made = {{{"ffma"}}}},
  {.base = "div", .made = {{{"ffma", 5}}}, .is_approximate = false},
  {.base = "div", .made = {{{"fmul"}}}, .is_approximate = true},
  {.base = "div", .made = {{{"fmul"}}}, .is_full = true},
  {.base = "rcp", .made = {{{"ffma", 2}, {"fadd"}}}, .is_approximate = false},
  {.base = "rcp", .made = {{{"fmul", 2}}}, .is_approximate = true, .ftz = false},
  {.base = "sqrt", .made = {{{"fmul", 2}, {"ffma", 2}}}, .is_approximate = false},
  {.base = "sin", .made = {{{"fmul"}}}}, {.base = "cos", .made = {{{"fmul"}}}},
  {.base = "add", .made = {{{"dadd"}}}, .is_double = true}, {.base = "sub", .made = {{{"dadd"}}}, .is_double = true},
  {.base = "mul", .made = {{{"dmul"}}}, .is_double = true},
  {.base = "fma", .made = {{{"dfma"}}}, .is_double = true}, {.base = "mad", .made = {{{"dfma"}}}, .is_double = true},
  {.base = "div", .made = {{{"dfma", 7}, {"dmul"}, {"ffma"}}}, .is_double = true},
  {.base = "rcp", .made = {{{"dfma", 5}}}, .is_double = true, .is_approximate = false},
  {.base = "sqrt", .made = {{{"dmul", 3}, {"dfma", 5}}}, .is_double = true},
  {.base = "rsqrt", .made = {{{"dmul", 2}, {"dfma", 3}}}, .is_double = true},
};
// clang-format on

}  // namespace

Traffic traffic_of(std::string_view opcode, bool may_reduce) {
  const std::string_view base = base_of(opcode);
  if (base == "ld" || base == "ldu" || base == "st") {
    if (has(opcode, "param") || has(opcode, "const")) return {};
    return {space_of(opcode), base == "st" ? "st" : "ld"};
  }
  if (base == "red") return {space_of(opcode), has(opcode, "shared") ? "atom" : "red"};
  if (base == "atom") return {space_of(opcode), atomic_op(opcode, may_reduce)};
  if (base == "ldmatrix") return {CountedSpace::shared, "ld"};
  if (base == "stmatrix") return {CountedSpace::shared, "st"};
  if (base == "wmma" && has(opcode, "load")) return {space_of(opcode), "ld"};
  if (base == "wmma" && has(opcode, "store")) return {space_of(opcode), "st"};
  const bool copies = base == "cp" && has(opcode, "async") && !has(opcode, "bulk");
  return copies ? Traffic{CountedSpace::global, "ld"} : Traffic{};
}

std::string_view bulk_op(std::string_view opcode) {
  if (base_of(opcode) != "cp" || !has(opcode, "bulk") || !has(opcode, "global")) return {};
  // The target's space comes first.
  const size_t shared = opcode.find(".shared");
  return shared == std::string_view::npos ? "" : opcode.find(".global") < shared ? "st" : "ld";
}

unsigned constant_load_bytes(std::string_view opcode) {
  if (base_of(opcode) != "ld" || !has(opcode, "const")) return 0;
  unsigned bits = 0;
  for (const char digit : opcode.substr(opcode.rfind('.') + 2))
    bits = 10 * bits + static_cast<unsigned>(digit - '0');
  return bits / 8 * (has(opcode, "v4") ? 4 : has(opcode, "v2") ? 2 : 1);
}

std::span<const Arithmetic> arithmetic_of(std::string_view opcode) {
  const bool f32 = opcode.ends_with(".f32"), f64 = opcode.ends_with(".f64");
  if ((!f32 && !f64) || has(opcode, "shared") || has(opcode, "global")) return {};
  const bool is_approximate = has(opcode, "approx");
  const auto found =
      std::find_if(std::begin(kArithmetic), std::end(kArithmetic), [&](const ArithmeticRow& row) {
        return row.base == base_of(opcode) && row.is_double == f64 &&
               row.is_full == has(opcode, "full") &&
               (!row.is_approximate || *row.is_approximate == is_approximate) &&
               (!row.ftz || *row.ftz == has(opcode, "ftz"));
      });
  if (found == std::end(kArithmetic)) return {};
  const auto end = std::find_if(found->made.begin(), found->made.end(),
                                [](const Arithmetic& each) { return each.op.empty(); });
  return {found->made.begin(), end};
}

std::string_view kind_of(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  if (is_one_of(base, {"ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix", "prefetch",
                       "prefetchu", "discard"}))
    return "memory";
  if (is_one_of(base, {"suld", "sust", "sured"})) return "surface";
  if (is_one_of(base, {"tex", "tld4", "txq", "suq"})) return "texture";
  if (is_one_of(base, {"bra", "brx", "call", "ret", "exit", "trap", "brkpt"})) return "control";
  if (is_one_of(base, {"bar", "barrier", "membar", "fence", "mbarrier", "griddepcontrol"}))
    return "synchronisation";
  if (is_one_of(base, {"shfl", "vote", "match", "redux", "activemask", "elect"}))
    return "inter_thread_communication";
  if (is_one_of(base, {"wmma", "mma", "wgmma", "movmatrix"})) return "matrix";
  if (base == "cvt") return "conversion";
  if (is_one_of(base, {"mov", "cvta", "isspacep", "selp", "prmt"})) return "move";
  if (is_one_of(base, {"and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "popc",
                       "clz", "bfe", "bfi", "bfind", "brev", "fns", "bmsk", "szext"}))
    return "bit";
  const std::string_view floating = floating_kind(opcode);
  return floating.empty() ? "integer" : floating;
}

}  // namespace warpgrade::emulator
