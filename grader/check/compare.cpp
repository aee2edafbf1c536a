// SPDX-License-Identifier: MIT
#include "check/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <variant>

#include "base/content_hash.h"
#include "base/hash.h"
#include "base/text.h"
#include "check/pattern.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

bool is_float(const NpyArray& array) { return array.dtype.at(1) == 'f'; }

std::string_view element_bytes(const NpyArray& array, size_t index) {
  const size_t size = array.bytes.size() / std::max<size_t>(1, array.count());
  return {reinterpret_cast<const char*>(array.bytes.data()) + index * size, size};
}

struct AllowedError {
  double limit;  ///< of |expected|, or of the error itself
  bool relative;
};

AllowedError allowed_error(const Tolerance& tolerance, const Expression::Values& values) {
  if (const auto* relative = std::get_if<Relative>(&tolerance)) return {relative->limit, true};
  if (const auto* absolute = std::get_if<Absolute>(&tolerance)) return {absolute->limit, false};
  if (const auto* product = std::get_if<DotProduct>(&tolerance)) {
    const Result<long> length = product->length.value(values);
    return {length.ok() ? 8 * std::sqrt(static_cast<double>(*length)) * 0x1p-24 : 0, true};
  }
  return {0, false};
}

/// Equal to the last bit, and all of it numbers: within any tolerance, and found out much faster.
bool same_bytes(const NpyArray& expected, const NpyArray& got) {
  const size_t size = expected.bytes.size();
  if (got.bytes.size() != size) return false;
  if (size > 0 && std::memcmp(expected.bytes.data(), got.bytes.data(), size) != 0) return false;
  const auto is_number = [](auto value) { return std::isfinite(value); };
  return std::ranges::all_of(expected.as<float>(), is_number) &&
         std::ranges::all_of(expected.as<double>(), is_number);
}

/// Elements outside the tolerance. NaN is neither within nor equal, so it is always wrong.
std::vector<bool> wrong_elements(const NpyArray& expected, const NpyArray& got,
                                 AllowedError allowed) {
  const std::vector<double> wanted = expected.as_doubles(), found = got.as_doubles();
  std::vector<bool> wrong(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!is_float(expected) && allowed.limit == 0) {
      wrong[i] =
          element_bytes(expected, i) != element_bytes(got, i);  // 64 bits do not fit a double
      continue;
    }
    const double limit = allowed.relative ? allowed.limit * std::abs(wanted[i]) : allowed.limit;
    wrong[i] = !(std::abs(wanted[i] - found[i]) <= limit);
  }
  return wrong;
}

/// The last launch of a range, or of any where it has no name, that wrote the memory from which the program got this array;
/// nullptr where its bytes came by no copy.
struct Origin {
  const KernelLaunch* launch = nullptr;
  size_t pitch_bytes = 0;
};

Origin origin_of(const NpyArray& array, const Trace& trace, const std::string& range) {
  const std::string hash =
      hex64(content_hash({reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}));
  const std::vector<Allocation> allocations = allocations_of(trace);
  Origin origin;
  for (const ApiCall& call : trace.calls) {
    if (call.result != 0 || call.text("content_hash") != hash) continue;
    const Allocation* source = allocation_at(allocations, call.number("src"), call.seq);
    if (source == nullptr) continue;
    for (const KernelLaunch& launch : trace.launches) {
      if (!range.empty() && launch.range != range) continue;
      const bool wrote = std::any_of(
          launch.memory.begin(), launch.memory.end(),
          [&](const Touch& touch) { return touch.written && touch.ptr == source->ptr; });
      if (wrote && launch.seq < call.seq) origin = {&launch, source->pitch};
    }
  }
  return origin;
}

std::string element_text(const NpyArray& array, size_t index) {
  if (array.dtype == "<f4") return fmt::format("{}", array.as<float>()[index]);
  if (array.dtype == "<i8") return fmt::format("{}", array.as<int64_t>()[index]);
  if (array.dtype == "<u8") return fmt::format("{}", array.as<uint64_t>()[index]);
  return fmt::format("{}", array.as_doubles()[index]);
}

std::string pair_text(long x, const char* between, long y) {
  return fmt::format("{}{}{}", x, between, y);
}

/// Whether there are so few threads that each is meant to have several elements: fewer than two for three.
bool has_several_each(const KernelLaunch& launch, size_t elements) {
  uint64_t threads = 1;
  for (const long extent : launch.grid) threads *= static_cast<uint64_t>(extent);
  for (const long extent : launch.block) threads *= static_cast<uint64_t>(extent);
  return 3 * threads < 2 * elements;
}

/// Nothing where a third axis says which elements a thread has.
Sentence owner_of(const KernelLaunch& launch, long row, long column) {
  if (launch.grid[2] > 1 || launch.block[2] > 1) return {};
  const auto [width, height, depth] = launch.block;
  const long block_x = column / width, block_y = row / height;
  if (block_x >= launch.grid[0] || block_y >= launch.grid[1])
    return say("owner.none", {{"grid", pair_text(launch.grid[0], " x ", launch.grid[1])},
                              {"block", pair_text(width, " x ", height)}});
  return say("owner.thread", {{"block", pair_text(block_x, ", ", block_y)},
                              {"thread", pair_text(column % width, ", ", row % height)}});
}

/// "float32 [64, 64]": as people call what a file of NumPy's calls "<f4".
std::string shape_text(const NpyArray& array) {
  static const std::map<std::string, std::string> names = {
      {"<f2", "float16"}, {"<f4", "float32"}, {"<f8", "float64"}, {"|i1", "int8"},
      {"<i2", "int16"},   {"<i4", "int32"},   {"<i8", "int64"},   {"|u1", "uint8"},
      {"<u2", "uint16"},  {"<u4", "uint32"},  {"<u8", "uint64"}};
  const auto name = names.find(array.dtype);
  return fmt::format("{} [{}]", name == names.end() ? array.dtype : name->second,
                     fmt::join(array.shape, ", "));
}

size_t row_length(const NpyArray& array) { return array.shape.empty() ? 1 : array.shape.back(); }

Difference make_difference(const NpyArray& expected, const NpyArray& got, std::vector<bool> wrong,
                           const Origin& origin, Layout layout) {
  Difference difference;
  difference.is_vector = layout != Layout::kMatrix;
  difference.columns = difference.is_vector ? expected.count() : row_length(expected);
  difference.rows = expected.count() / std::max<size_t>(1, difference.columns);
  difference.expected = expected.as_doubles();
  difference.got = got.as_doubles();
  difference.wrong = std::move(wrong);
  for (size_t i = 0; i < got.count(); ++i) {
    const std::string_view bytes = element_bytes(got, i);
    difference.poisoned.push_back(bytes.find_first_not_of('\xFF') == std::string_view::npos);
  }
  if (origin.launch != nullptr) {
    difference.block_columns = static_cast<size_t>(origin.launch->block[0]);
    difference.block_rows = static_cast<size_t>(origin.launch->block[1]);
    difference.pitch_elements =
        origin.pitch_bytes * got.count() / std::max<size_t>(1, got.bytes.size());
  }
  return difference;
}

/// What a number of the array stands for, as the rubric says.
std::string value_words(const OutputRule& rule, const NpyArray& array, size_t index) {
  const std::string number = element_text(array, index);
  const auto found = rule.values.find(number);
  return found == rule.values.end() ? number : found->second;
}

/// An array whose elements or numbers have names of their own.
Sentence describe_named(const OutputRule& rule, const NpyArray& expected, const NpyArray& got,
                        const Difference& difference, size_t first) {
  const std::string element = first < rule.elements.size() ? rule.elements[first]
                              : expected.count() == 1      ? rule.array
                                                           : fmt::format("[{}]", first);
  const size_t more = difference.wrong_count() - 1;
  return say("output.named",
             {{"array", rule.array},
              {"element", element},
              {"expected", value_words(rule, expected, first)},
              {"got", value_words(rule, got, first)},
              {"more", more == 0 ? Sentence() : say("more.wrong", {{"count", more}})}});
}

Sentence describe(const OutputRule& rule, const NpyArray& expected, const NpyArray& got,
                  const Difference& difference, const KernelLaunch* launch) {
  const auto first = static_cast<size_t>(
      std::find(difference.wrong.begin(), difference.wrong.end(), true) - difference.wrong.begin());
  if (!rule.values.empty() || !rule.elements.empty())
    return describe_named(rule, expected, got, difference, first);
  const std::string wanted = element_text(expected, first), found = element_text(got, first);
  if (expected.count() == 1) {
    const Sentence one =
        say("output.one", {{"array", rule.array}, {"expected", wanted}, {"got", found}});
    return difference.poisoned[0] ? describe_pattern(difference, one) : one;
  }
  const size_t row = first / difference.columns, column = first % difference.columns;
  const bool matrix = rule.layout == Layout::kMatrix;
  const bool owned =
      matrix && launch != nullptr && !has_several_each(*launch, difference.wrong.size());
  const Filling place =
      matrix ? Filling("place", say("place.matrix", {{"row", row}, {"column", column}}))
             : Filling("place", fmt::format("[{}]", first));
  Sentence sentence =
      say("output.wrong",
          {{"array", rule.array},
           {"wrong", difference.wrong_count()},
           {"count", difference.wrong.size()},
           place,
           {"expected", wanted},
           {"got", found},
           {"owner", owned ? owner_of(*launch, static_cast<long>(row), static_cast<long>(column))
                           : Sentence()}});
  Sentence pattern = describe_pattern(difference, sentence);
  return pattern.empty() ? sentence : pattern;
}

}  // namespace

Judgement compare(const OutputRule& rule, const NpyArray& expected, const CaseFacts& facts) {
  const auto found = facts.outputs.find(rule.array);
  if (found == facts.outputs.end())
    return Judgement::failed(say("output.missing", {{"array", rule.array}}));
  const NpyArray& got = found->second;
  if (got.dtype != expected.dtype || got.shape != expected.shape) {
    return Judgement::failed(
        say("output.shape",
            {{"array", rule.array}, {"seen", shape_text(got)}, {"wanted", shape_text(expected)}}));
  }
  if (same_bytes(expected, got)) return {};
  std::vector<bool> wrong =
      wrong_elements(expected, got, allowed_error(rule.tolerance, facts.values));
  if (std::find(wrong.begin(), wrong.end(), true) == wrong.end()) return {};
  const Origin origin = origin_of(got, facts.trace, rule.computed_in);
  const Difference difference =
      make_difference(expected, got, std::move(wrong), origin, rule.layout);
  Judgement judgement = Judgement::failed(describe(rule, expected, got, difference, origin.launch));
  if (expected.count() > 1 && rule.elements.empty())
    judgement.map = make_wrong_map(rule.array, row_length(expected), difference.wrong);
  return judgement;
}

double tolerance_used(const OutputRule& rule, const NpyArray& expected, const NpyArray& got,
                      const Expression::Values& values) {
  const AllowedError allowed = allowed_error(rule.tolerance, values);
  if (allowed.limit == 0) return 0;
  const std::vector<double> wanted = expected.as_doubles(), found = got.as_doubles();
  double most = 0;
  for (size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
    const double error = std::abs(wanted[i] - found[i]);
    const double limit = allowed.relative ? allowed.limit * std::abs(wanted[i]) : allowed.limit;
    if (error > 0) most = std::max(most, error / limit);
  }
  return most;
}

}  // namespace warpgrade

#ifdef __FAST_MATH__
#error "NaN must stay distinguishable from numbers here: do not build the checks with -ffast-math"
#endif
