// SPDX-License-Identifier: MIT
#include "emulator/model/op_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpgrade::emulator {
namespace {

constexpr double kFenceClocks = 500;
/// A fence for a block waits for no answer of the L2 cache (model/README.md).
constexpr double kBlockFenceClocks = 13;

// Counts of machine instructions and the pipes they went to: ncu on an H200 over the kernels of
// measured/fit.cu, which repeat one PTX instruction each. Clocks of single instructions: Luo et
// al., arXiv 2402.13499, and the same kernels with two warps on a multiprocessor.
// clang-format off
constexpr std::pair<std::string_view, OpCost> kRows[] = {
  // Single precision.
  {"add.f32",  {.fp32 = 1, .clocks = 4}},  {"sub.f32", {.fp32 = 1, .clocks = 4}},
  {"mul.f32",  {.fp32 = 1, .clocks = 4}},  {"fma.f32", {.fp32 = 1, .clocks = 4}},
  {"mad.f32",  {.fp32 = 1, .clocks = 4}},
  {"neg.f32",  {.issue = 0, .clocks = 0}}, {"abs.f32", {.issue = 0, .clocks = 0}},
  {"min.f32",  {.alu = 1}},                {"max.f32", {.alu = 1}},
  {"div.f32",  {.issue = 11.4, .fp32 = 5.5, .alu = 0.8, .xu = 2, .clocks = 60, .branches = true}},
  {"div.full.f32",   {.issue = 8, .fp32 = 5, .alu = 1, .xu = 1, .clocks = 45}},
  {"div.approx.f32", {.issue = 5, .fp32 = 3, .alu = 1, .xu = 1, .clocks = 40}},
  {"rcp.f32",  {.issue = 10.1, .fp32 = 3, .alu = 3, .xu = 1, .clocks = 60, .branches = true}},
  {"sqrt.f32", {.issue = 10.5, .fp32 = 4, .alu = 2.3, .xu = 1, .clocks = 60, .branches = true}},
  {"rcp.approx.f32",   {.issue = 4.2, .fp32 = 2, .alu = 1.2, .xu = 1, .clocks = 48}},
  {"sqrt.approx.f32",  {.issue = 4.2, .fp32 = 2, .alu = 1.2, .xu = 1, .clocks = 48}},
  {"rsqrt.approx.f32", {.issue = 4.2, .fp32 = 2, .alu = 1.2, .xu = 1, .clocks = 48}},
  {"ex2.approx.f32",   {.issue = 4.2, .fp32 = 2, .alu = 1.2, .xu = 1, .clocks = 48}},
  {"lg2.approx.f32",   {.issue = 4.2, .fp32 = 2, .alu = 1.2, .xu = 1, .clocks = 48}},
  {"sin.approx.f32",   {.issue = 2, .fp32 = 1, .xu = 1, .clocks = 24}},
  {"cos.approx.f32",   {.issue = 2, .fp32 = 1, .xu = 1, .clocks = 24}},
  {"rcp.approx.ftz.f32",   {.xu = 1, .clocks = 20}}, {"sqrt.approx.ftz.f32", {.issue = 2, .fp32 = 1, .xu = 1, .clocks = 24}},
  {"rsqrt.approx.ftz.f32", {.xu = 1, .clocks = 20}}, {"ex2.approx.ftz.f32", {.xu = 1, .clocks = 20}},
  {"lg2.approx.ftz.f32",   {.xu = 1, .clocks = 20}}, {"tanh.approx.f32", {.xu = 1, .clocks = 20}},
  // Double precision.
  {"add.f64",  {.fp64 = 1, .clocks = 8}},  {"sub.f64", {.fp64 = 1, .clocks = 8}},
  {"mul.f64",  {.fp64 = 1, .clocks = 8}},  {"fma.f64", {.fp64 = 1, .clocks = 8}},
  {"mad.f64",  {.fp64 = 1, .clocks = 8}},
  {"neg.f64",  {.issue = 0, .clocks = 0}}, {"abs.f64", {.issue = 0, .clocks = 0}},
  {"min.f64",  {.issue = 3, .alu = 2, .fp64 = 1, .clocks = 14}}, {"max.f64", {.issue = 3, .alu = 2, .fp64 = 1, .clocks = 14}},
  {"div.f64",  {.issue = 16.9, .imad = 2.3, .alu = 2.3, .fp64 = 8, .xu = 4, .clocks = 120, .branches = true}},
  {"rcp.f64",  {.issue = 12, .imad = 2, .alu = 2, .fp64 = 6, .xu = 4, .clocks = 90, .branches = true}},
  {"sqrt.f64", {.issue = 18.9, .imad = 3.3, .alu = 3.3, .fp64 = 8, .xu = 4, .clocks = 120, .branches = true}},
  {"setp.f64", {.fp64 = 1, .clocks = 10}},
  // Half precision, two at a time.
  {"add.f16",  {.fp32 = 1}}, {"sub.f16", {.fp32 = 1}}, {"mul.f16", {.fp32 = 1}}, {"fma.f16", {.fp32 = 1}},
  // Integers of 32 bits.
  {"add.i32",  {.flex = 1}},  {"sub.i32", {.flex = 1}},
  {"neg.i32",  {.flex = 1}},  {"abs.i32", {.alu = 1}},
  {"shl.i32",  {.flex = 1}},  {"shr.i32", {.alu = 1}}, {"shf.i32", {.alu = 1}},
  {"mul.i32",  {.imad = 1}},  {"mad.i32", {.imad = 1}},
  {"mul24.i32", {.imad = 1}}, {"mad24.i32", {.imad = 1}}, {"sad.i32", {.issue = 2, .alu = 2, .clocks = 10}},
  {"mul.hi.i32", {.imad = 2, .clocks = 6}}, {"mad.hi.i32", {.imad = 2, .clocks = 6}},
  {"mul.wide.i32", {.imad = 1.5, .clocks = 6}}, {"mad.wide.i32", {.imad = 1.5, .clocks = 6}},
  {"dp4a.i32", {.imad = 1}}, {"dp2a.i32", {.imad = 1}},
  {"div.i32",  {.issue = 23, .imad = 9, .alu = 10, .xu = 3, .clocks = 110}},
  {"rem.i32",  {.issue = 24, .imad = 10, .alu = 10, .xu = 3, .clocks = 115}},
  {"hoisted.i32", {.issue = 11.5, .imad = 5, .alu = 6, .clocks = 55}},
  {"popc.i32", {.xu = 1, .clocks = 15}}, {"clz.i32", {.issue = 2, .alu = 1, .xu = 1, .clocks = 18}},
  {"bfind.i32", {.xu = 1, .clocks = 15}}, {"brev.i32", {.xu = 1, .clocks = 15}},
  {"popc.i64", {.issue = 3, .flex = 1, .xu = 2, .clocks = 20}}, {"clz.i64", {.issue = 5, .flex = 3, .xu = 2, .clocks = 25}},
  {"bfe.i32",  {.issue = 2, .alu = 2, .clocks = 10}}, {"bfi.i32", {.issue = 2, .alu = 2, .clocks = 10}},
  // Integers of 64 bits are pairs.
  {"add.i64",  {.issue = 2, .flex = 2, .clocks = 7}}, {"sub.i64", {.issue = 2, .flex = 2, .clocks = 7}},
  {"and.i64",  {.issue = 2, .alu = 2}}, {"or.i64", {.issue = 2, .alu = 2}}, {"xor.i64", {.issue = 2, .alu = 2}},
  {"shl.i64",  {.issue = 2, .alu = 1, .flex = 1}}, {"shr.i64", {.issue = 2, .alu = 2}},
  {"setp.i64", {.issue = 2, .alu = 2, .clocks = 10}}, {"selp.i64", {.issue = 2, .alu = 2}},
  {"mul.i64",  {.issue = 3.3, .imad = 4, .alu = 0.3, .clocks = 14}}, {"mad.i64", {.issue = 4.3, .imad = 4, .flex = 2, .clocks = 16}},
  {"div.i64",  {.issue = 86, .imad = 39, .alu = 38, .xu = 3, .clocks = 400, .branches = true}},
  {"rem.i64",  {.issue = 86, .imad = 39, .alu = 38, .xu = 3, .clocks = 400, .branches = true}},
  // Logic, comparisons, moves. ptxas folds many moves and address conversions.
  {"and",  {.alu = 1}}, {"or",   {.alu = 1}}, {"xor",  {.alu = 1}}, {"not", {.alu = 1}}, {"lop3", {.alu = 1}},
  {"and.pred", {.issue = 0.5, .alu = 0.5}}, {"or.pred", {.issue = 0.5, .alu = 0.5}}, {"not.pred", {.issue = 0, .clocks = 0}},
  {"setp", {.alu = 1}}, {"set",  {.alu = 1}}, {"selp", {.alu = 1}}, {"slct", {.issue = 2, .alu = 2}},
  {"min",  {.alu = 1}}, {"max",  {.alu = 1}}, {"prmt", {.alu = 1}},
  {"mov",  {.issue = 0.2, .flex = 0.2, .clocks = 1}},
  {"cvta", {.issue = 0, .clocks = 0}},
  // Conversions.
  {"cvt.i32.i32", {.issue = 0.5, .alu = 0.5, .clocks = 3}}, {"cvt.i64.i32", {.issue = 0.5, .flex = 0.5, .clocks = 3}},
  {"cvt.i32.i64", {.issue = 0, .clocks = 0}},
  {"cvt.f32.i32", {.alu = 1, .clocks = 6}}, {"cvt.i32.f32", {.xu = 1, .clocks = 15}},
  {"cvt.f32.f32", {.fp32 = 1, .clocks = 5}}, {"cvt.f16.f32", {.alu = 1}}, {"cvt.f32.f16", {.alu = 1}},
  {"cvt.f64.f32", {.xu = 1, .clocks = 18}}, {"cvt.f32.f64", {.xu = 1, .clocks = 18}}, {"cvt", {.xu = 1, .clocks = 18}},
  // Warps.
  {"shfl", {.shuffle = 1, .clocks = 24}}, {"vote", {.alu = 1, .clocks = 12}}, {"match", {.xu = 2, .clocks = 30}},
  {"redux", {.xu = 1, .clocks = 20}}, {"activemask", {.alu = 1, .clocks = 12}},
  // Control.
  {"bra", {.issue = 1, .clocks = 1}}, {"ret", {.clocks = 1}}, {"exit", {.clocks = 1}}, {"call", {.issue = 4, .clocks = 70, .branches = true}},
  {"bar", {.kind = OpKind::barrier}}, {"barrier", {.kind = OpKind::barrier}},
  {"membar", {.clocks = kFenceClocks, .kind = OpKind::fence, .meets = true}},
  {"fence", {.clocks = kFenceClocks, .kind = OpKind::fence, .meets = true}},
};
// clang-format on

const std::unordered_map<std::string_view, OpCost>& rows() {
  static const std::unordered_map<std::string_view, OpCost> table(std::begin(kRows),
                                                                  std::end(kRows));
  return table;
}

struct Parts {
  std::string_view base;
  std::vector<std::string_view> modifiers;
  bool has(std::string_view name) const {
    for (const std::string_view one : modifiers) {
      if (one == name) return true;
    }
    return false;
  }
};

Parts split_opcode(std::string_view opcode) {
  Parts parts;
  size_t at = opcode.find('.');
  parts.base = opcode.substr(0, at);
  while (at != std::string_view::npos) {
    const size_t next = opcode.find('.', at + 1);
    parts.modifiers.push_back(
        opcode.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  return parts;
}

/// "i32", "i64", "f16", "f32", "f64", "pred", or empty for what names no type.
std::string_view type_class(std::string_view modifier) {
  if (modifier == "f32" || modifier == "f64" || modifier == "pred") return modifier;
  if (modifier == "tf32") return "f32";
  if (modifier.starts_with("f16") || modifier.starts_with("bf16")) return "f16";
  if (modifier.size() < 2 || std::string_view("usb").find(modifier[0]) == std::string_view::npos)
    return {};
  const std::string_view bits = modifier.substr(1);
  if (bits == "64" || bits == "128") return "i64";
  return bits == "8" || bits == "16" || bits == "32" ? "i32" : std::string_view{};
}

/// Shared memory has no floating-point atomics: ptxas makes loops of compare-and-swaps.
bool is_loop(const Parts& parts) {
  return parts.has("f32") || parts.has("f64") || parts.has("f16") || parts.has("f16x2");
}

/// An asynchronous copy into shared memory, which names both spaces, takes its bytes from global memory.
bool is_copy(const Parts& parts) {
  return parts.base == "cp" && parts.has("async") && !parts.has("bulk") &&
         (parts.has("ca") || parts.has("cg"));
}

double fence_clocks(const Parts& parts) {
  return parts.has("cta") ? kBlockFenceClocks : kFenceClocks;
}

/// A bulk copy names the space of its target and then that of its source; one of them is global memory, or both are
/// shared.
bool is_bulk_copy(const Parts& parts) {
  return parts.base == "cp" && parts.has("bulk") && parts.has("global") &&
         (parts.has("shared::cta") || parts.has("shared::cluster"));
}

OpKind bulk_kind(const Parts& parts) {
  for (const std::string_view modifier : parts.modifiers) {
    if (modifier == "global") return OpKind::global_store;
    if (modifier.starts_with("shared")) break;
  }
  return OpKind::global_load;
}

OpCost memory_cost(const Parts& parts) {
  const bool shared = parts.has("shared") || parts.has("shared::cta");
  const bool local = parts.has("local");
  if (parts.has("param") || parts.has("param::entry") || parts.has("param::func"))
    return {.issue = 0, .clocks = 0};
  if (parts.has("const")) return {.issue = 1, .clocks = 8, .kind = OpKind::constant_load};
  OpCost cost;
  cost.clocks = 0;
  if (parts.base == "tex" || parts.base == "tld4") {
    cost.kind = OpKind::texture;
    cost.texture = parts.has("3d") ? 2 : 1;
    return cost;
  }
  if (parts.base == "atom" || parts.base == "red") {
    cost.kind = !shared          ? OpKind::global_atomic
                : is_loop(parts) ? OpKind::shared_atomic_loop
                                 : OpKind::shared_atomic;
    cost.meets = !shared;
    // ptxas puts a fence before it.
    if (!shared && (parts.has("release") || parts.has("acq_rel")))
      cost.clocks = fence_clocks(parts);
  } else if (is_bulk_copy(parts)) {
    cost.kind = bulk_kind(parts);
  } else if (is_copy(parts)) {
    cost.kind = OpKind::global_load;
  } else if (parts.base == "st" || parts.base == "sust" ||
             (parts.base == "wmma" && parts.has("store"))) {
    cost.kind = shared ? OpKind::shared_store : local ? OpKind::local_store : OpKind::global_store;
  } else {
    cost.kind = shared ? OpKind::shared_load : local ? OpKind::local_load : OpKind::global_load;
    cost.meets = !shared && parts.has("acquire");
  }
  return cost;
}

bool is_memory(const Parts& parts) {
  for (const std::string_view base :
       {"ld", "ldu", "st", "atom", "red", "tex", "tld4", "suld", "sust"}) {
    if (parts.base == base) return true;
  }
  return is_copy(parts) || is_bulk_copy(parts) || parts.base == "ldmatrix" ||
         (parts.base == "wmma" && (parts.has("load") || parts.has("store")));
}

/// How many multiply-adds of half precision take as long as one of this instruction, and the least that it counts for.
struct MatrixType {
  std::string_view type;
  double weight;
  double least_thousands = 0;
};

/// Measured on an H200 (README.md): m16n8k8 takes three quarters of what m16n8k16 takes.
constexpr double kLeastThousands = 1.5;
constexpr MatrixType kMatrixTypes[] = {{"f64", 20.9},  {"tf32", 2, kLeastThousands},
                                       {"s8", 0.5},    {"u8", 0.5},
                                       {"s4", 0.25},   {"u4", 0.25},
                                       {"b1", 0.0625}, {"e4m3", 0.5},
                                       {"e5m2", 0.5}};

/// "m16n8k16": its multiply-adds in thousands; 0 where there is no shape.
double thousands_of(const Parts& parts) {
  for (const std::string_view modifier : parts.modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(std::string(modifier).c_str(), "m%un%uk%u", &m, &n, &k) == 3)
      return m * n * k / 1e3;
  }
  return 0;
}

/// mma and wmma.mma become as many m16n8k16 as it takes; those of one wmma.mma run side by side.
OpCost matrix_cost(const Parts& parts) {
  constexpr double kOneOfThem = 2.048;
  MatrixType type{"f16", 1, kLeastThousands};
  for (const MatrixType& one : kMatrixTypes)
    if (parts.has(one.type)) type = one;
  const double thousands = thousands_of(parts) * type.weight;
  const bool is_short = thousands < kOneOfThem;
  OpCost cost;
  cost.issue = std::max(1.0, std::round(thousands / kOneOfThem));
  cost.tensor = std::max(thousands, type.least_thousands);
  cost.clocks = type.type == "f64" ? 26 : is_short ? 19 : 28;
  if (type.type == "f64") cost.issue = 1;
  return cost;
}

/// Names under which a row may stand, the most particular first.
std::vector<std::string> names_of(const Parts& parts) {
  std::string types, last, picked;
  for (const std::string_view modifier : parts.modifiers) {
    if (const std::string_view type = type_class(modifier); !type.empty()) {
      last = type;
      types += '.' + std::string(type);
    }
    for (const std::string_view wanted : {"approx", "full", "wide", "hi"}) {
      if (modifier == wanted) picked = '.' + std::string(wanted);
    }
  }
  const std::string base(parts.base);
  const std::string ftz = parts.has("ftz") ? ".ftz" : "";
  std::vector<std::string> names;
  if (base == "cvt") names.push_back(base + types);
  names.push_back(base + picked + ftz + '.' + last);
  names.push_back(base + picked + '.' + last);
  names.push_back(base + '.' + last);
  names.push_back(base);
  return names;
}

}  // namespace

OpCost op_cost(std::string_view opcode, bool hoisted) {
  const Parts parts = split_opcode(opcode);
  if (is_memory(parts)) return memory_cost(parts);
  if (parts.base == "mma" || parts.base == "wmma") return matrix_cost(parts);
  const bool fence = parts.base == "fence" || parts.base == "membar";
  if (fence && parts.has("cta"))
    return {.clocks = fence_clocks(parts), .kind = OpKind::fence, .meets = false};
  const bool warp_barrier = parts.base == "bar" && parts.has("warp");
  if (warp_barrier) return {.clocks = 10};
  if (hoisted && (parts.base == "div" || parts.base == "rem") &&
      (parts.has("s32") || parts.has("u32")))
    return rows().at("hoisted.i32");
  for (const std::string& name : names_of(parts)) {
    if (const auto found = rows().find(name); found != rows().end()) return found->second;
  }
  return {.alu = 1};
}

}  // namespace warpgrade::emulator
