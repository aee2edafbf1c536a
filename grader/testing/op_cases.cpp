// SPDX-License-Identifier: MIT
#include "testing/op_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace warpgrade::testing {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

std::vector<std::string> pieces(const std::string& text, char separator) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string piece; std::getline(stream, piece, separator);) out.push_back(piece);
  return out;
}

OpTest parse_line(const std::string& text) {
  OpTest test;
  const size_t comment = text.find("//"), colon = text.find(" : ", comment);
  test.instruction = text.substr(0, comment);
  test.instruction.erase(test.instruction.find_last_not_of(' ') + 1);
  std::vector<std::string> signature = words(text.substr(comment + 2, colon - comment - 2));
  test.result_type = signature.back();
  signature.resize(signature.size() - 2);
  test.types = signature;
  for (const std::string& piece : pieces(text.substr(colon + 3), '|')) {
    const size_t arrow = piece.find("->");
    test.cases.push_back({words(piece.substr(0, arrow)), words(piece.substr(arrow + 2)).at(0)});
  }
  return test;
}

/// What the type's registers, loads and stores are called.
std::string storage_type(const std::string& type) {
  const bool plain = type == "pred" || type == "f32" || type == "f64" ||
                     (type[0] != 'f' && !type.starts_with("bf"));
  return plain ? type : fmt::format("b{}", 8 * bytes_of(type));
}

/// Bytes lie in registers of 16 bits.
std::string register_type(const std::string& type) {
  return bytes_of(type) < 2 ? "b16" : storage_type(type);
}

char operand_name(size_t index) { return static_cast<char>('a' + index + (index >= 3 ? 1 : 0)); }

/// Bits of a finite value, rounded to nearest even, in a 16-bit format.
uint64_t narrow_bits(double value, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint64_t infinity = uint64_t((1 << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(value)) return 0x7FFF;
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | infinity;
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));
  const int quantum = std::max(exponent - 1, 1 - bias) - mantissa_bits;
  const auto steps = static_cast<uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -quantum)));
  // A normal number's leading bit raises the exponent by one.
  const uint64_t bits =
      (static_cast<uint64_t>(quantum + mantissa_bits + bias - 1) << mantissa_bits) + steps;
  return sign | std::min(bits, infinity);
}

bool is_nan(uint64_t bits, unsigned bytes, uint64_t infinity) {
  return (bits & ((uint64_t{1} << (8 * bytes - 1)) - 1)) > infinity;
}

bool same_half(uint64_t got, uint64_t expected, uint64_t infinity) {
  return got == expected || (is_nan(got, 2, infinity) && is_nan(expected, 2, infinity));
}

}  // namespace

std::vector<OpTest> read_op_tests(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<OpTest> tests;
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (line.empty() || line.starts_with("//")) continue;
      tests.push_back(parse_line(line));
      tests.back().file = file.filename();
      tests.back().line = number;
    }
  }
  return tests;
}

unsigned bytes_of(const std::string& type) {
  if (type == "pred" || type.ends_with("x2")) return 4;
  return static_cast<unsigned>(std::atoi(type.substr(type.find_first_of("123468")).c_str())) / 8;
}

uint64_t value_bits(const std::string& text, const std::string& type) {
  if (type.ends_with("x2") && text.find(',') != std::string::npos) {
    const std::string half = type.substr(0, type.size() - 2);
    return value_bits(text.substr(0, text.find(',')), half) |
           value_bits(text.substr(text.find(',') + 1), half) << 16;
  }
  if (text.find("0x") == std::string::npos) {
    const double value = std::strtod(text.c_str(), nullptr);
    uint64_t bits = 0;
    if (type == "f64") return std::memcpy(&bits, &value, sizeof value), bits;
    const float narrow = std::strtof(text.c_str(), nullptr);
    if (type == "f32") return std::memcpy(&bits, &narrow, sizeof narrow), bits;
    if (type == "f16") return narrow_bits(value, 5);
    if (type == "bf16") return narrow_bits(value, 8);
  }
  const uint64_t bits = text[0] == '-'
                            ? static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 0))
                            : std::strtoull(text.c_str(), nullptr, 0);
  const unsigned bytes = bytes_of(type);
  return bytes == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

bool same_value(uint64_t got, uint64_t expected, const std::string& type) {
  if (got == expected) return true;
  const uint64_t infinity = type.starts_with("bf16")  ? 0x7F80
                            : type.starts_with("f16") ? 0x7C00
                            : type == "f32"           ? 0x7F80'0000
                                                      : 0x7FF0'0000'0000'0000;
  if (type.ends_with("x2"))
    return same_half(got & 0xFFFF, expected & 0xFFFF, infinity) &&
           same_half(got >> 16, expected >> 16, infinity);
  const bool floating = type[0] == 'f' || type.starts_with("bf");
  const unsigned bytes = bytes_of(type);
  return floating && is_nan(got, bytes, infinity) && is_nan(expected, bytes, infinity);
}

std::string op_kernel(const OpTest& test, int sm) {
  std::string body, parameters = ".param .u64 out";
  std::string registers = fmt::format(".reg .{} d;\n", register_type(test.result_type));
  for (size_t n = 0; n < test.types.size(); ++n) {
    const char name = operand_name(n);
    const std::string& type = test.types[n];
    parameters += fmt::format(", .param .u64 in{}", n);
    registers += fmt::format(".reg .{} {};\n", register_type(type), name);
    body += fmt::format("ld.param.u64 base, [in{}];\nmad.wide.u32 base, tid, {}, base;\n", n,
                        bytes_of(type));
    if (type == "pred") {
      body += fmt::format("ld.global.u32 word, [base];\nsetp.ne.u32 {}, word, 0;\n", name);
    } else {
      body += fmt::format("ld.global.{} {}, [base];\n", storage_type(type), name);
    }
  }
  body += test.instruction;
  body += fmt::format("\nld.param.u64 base, [out];\nmad.wide.u32 base, tid, {}, base;\n",
                      bytes_of(test.result_type));
  body += test.result_type == "pred"
              ? "selp.u32 word, 1, 0, d;\nst.global.u32 [base], word;\n"
              : fmt::format("st.global.{} [base], d;\n", storage_type(test.result_type));
  return fmt::format(
      ".version 8.3\n.target sm_{}\n.address_size 64\n.shared .align 16 .b8 memory[1024];\n"
      ".visible .entry test({}) {{\n.reg .u64 base;\n.reg .u32 tid, word;\n.reg .pred p, q;\n"
      ".reg .b32 t, u;\n.reg .b64 v, w;\n{}mov.u32 tid, %tid.x;\n{}ret;\n}}\n",
      sm, parameters, registers, body);
}

}  // namespace warpgrade::testing
