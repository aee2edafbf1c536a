// SPDX-License-Identifier: MIT
// Inputs and expected outputs of race-atomics. Nothing here is ever linked with a student's code.
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle.h"

namespace warpgrade {
namespace {

constexpr uint32_t kSign = 1u << 31;

struct Inputs {
  std::vector<int32_t> values;
  std::vector<float> floats;
  std::vector<int32_t> groups;
};

// Some bits set in every value and some in none, so that what And and Or leave tells something.
void fill_bits(Inputs& inputs, SeededRandom& random) {
  const auto common = static_cast<uint32_t>(random.next() & random.next()) & ~kSign;
  const auto free = static_cast<uint32_t>(random.next() | random.next()) | kSign;
  for (int32_t& value : inputs.values)
    value = static_cast<int32_t>(common | (static_cast<uint32_t>(random.next()) & free));
  for (float& value : inputs.floats) value = (random.uniform() - 0.5f) * 2048.0f;
}

// Few different values: the largest one is there many times, and its index is the first.
void fill_twins(Inputs& inputs, SeededRandom& random) {
  const long highest = random.integer(3, 1000);
  for (int32_t& value : inputs.values)
    value = static_cast<int32_t>(random.integer(-3, 2) + highest);
  for (float& value : inputs.floats) value = static_cast<float>(random.integer(-3, 3)) - 0.25f;
}

// Zero is among them, which is neither positive nor negative, and -0.0, whose bits are the smallest int.
void fill_small(Inputs& inputs, SeededRandom& random) {
  for (int32_t& value : inputs.values) value = static_cast<int32_t>(random.integer(-3, 3));
  for (float& value : inputs.floats) {
    value = static_cast<float>(random.integer(-3, 3));
    if (value == 0 && random.integer(0, 1) == 0) value = -0.0f;
  }
}

void fill_negative(Inputs& inputs, SeededRandom& random) {
  for (int32_t& value : inputs.values) value = static_cast<int32_t>(random.integer(INT_MIN, -1));
  for (float& value : inputs.floats) value = -1.0f / (random.uniform() + 0x1p-20f);
}

Inputs inputs_of(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const auto n = static_cast<size_t>(the_case.argument_or("n", 0));
  Inputs inputs{std::vector<int32_t>(n), std::vector<float>(n), std::vector<int32_t>(n)};
  if (the_case.family == "bits") {
    fill_bits(inputs, random);
  } else if (the_case.family == "twins") {
    fill_twins(inputs, random);
  } else if (the_case.family == "small") {
    fill_small(inputs, random);
  } else if (the_case.family == "negative") {
    fill_negative(inputs, random);
  } else if (the_case.family == "ascending") {
    // Each value is larger than those of the threads before it.
    std::iota(inputs.values.begin(), inputs.values.end(), 1);
    std::iota(inputs.floats.begin(), inputs.floats.end(), 1.0f);
  } else if (the_case.family == "lowest") {
    // What a record starts from is a value as well.
    std::fill(inputs.values.begin(), inputs.values.end(), INT_MIN);
    std::fill(inputs.floats.begin(), inputs.floats.end(), -FLT_MAX);
  } else {
    throw std::invalid_argument("race-atomics: unknown family \"" + the_case.family +
                                "\" (bits, twins, small, negative, ascending, lowest)");
  }
  const long groups = the_case.argument_or("groups", 1);
  for (int32_t& group : inputs.groups) group = static_cast<int32_t>(random.integer(0, groups - 1));
  return inputs;
}

template <class T>
std::vector<T> values_of(const Arrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    throw std::invalid_argument("race-atomics: in/" + name + ".npy is missing");
  const auto values = found->second.as<T>();
  return {values.begin(), values.end()};
}

template <class T>
NpyArray array_of(const std::vector<T>& values) {
  return make_npy<T>({values.size()}, values);
}

std::vector<uint32_t> statistics_of(const std::vector<int32_t>& values, size_t seats,
                                    size_t stock) {
  int32_t smallest = INT_MAX, largest = INT_MIN;
  uint32_t in_all = ~0u, in_any = 0, in_odd = 0;
  size_t up = 0, down = 0;
  for (const int32_t value : values) {
    const auto bits = static_cast<uint32_t>(value);
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    in_all &= bits;
    in_any |= bits;
    in_odd ^= bits;
    (value >= 0 ? up : down) += 1;
  }
  const size_t seat = up % seats, tickets = stock - down % (stock + 1);
  return {static_cast<uint32_t>(smallest), static_cast<uint32_t>(largest), in_all, in_any, in_odd,
          static_cast<uint32_t>(seat),     static_cast<uint32_t>(tickets)};
}

std::vector<uint32_t> each_once(size_t n) {
  std::vector<uint32_t> batons(n + 1);
  for (size_t i = 0; i <= n; ++i) batons[i] = static_cast<uint32_t>(i);
  return batons;
}

std::vector<float> maxima_of(const std::vector<float>& values, const std::vector<int32_t>& groups,
                             size_t group_count) {
  std::vector<float> maxima(group_count, -FLT_MAX);
  for (size_t i = 0; i < values.size(); ++i) {
    float& maximum = maxima.at(static_cast<size_t>(groups.at(i)));
    maximum = std::max(maximum, values[i]);
  }
  return maxima;
}

std::vector<int32_t> record_of(const std::vector<int32_t>& values) {
  int32_t largest = INT_MIN, where = -1;
  for (size_t i = 0; i < values.size(); ++i) {
    if (where >= 0 && values[i] <= largest) continue;
    largest = values[i];
    where = static_cast<int32_t>(i);
  }
  return {static_cast<int32_t>(values.size()), largest, where};
}

long threads_of(const OracleCase& the_case) {
  return the_case.argument_or("blocks", 0) * the_case.argument_or("threads", 0);
}

}  // namespace

/// Whether the counter is at least 1, and whether it is less than the number of threads.
Arrays derived_outputs(const OracleCase& the_case, const Arrays&, const Arrays& outputs) {
  const auto racy = outputs.find("racy");
  if (racy == outputs.end()) return {};
  const auto values = racy->second.as<int32_t>();
  const bool is_one = values.size() == 1;
  return {{"lost", array_of<int32_t>(
                       {is_one && values[0] >= 1, is_one && values[0] < threads_of(the_case)})}};
}

Arrays make_inputs(const OracleCase& the_case) {
  const Inputs inputs = inputs_of(the_case);
  return {{"values", array_of(inputs.values)},
          {"floats", array_of(inputs.floats)},
          {"groups", array_of(inputs.groups)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const auto values = values_of<int32_t>(inputs, "values");
  const auto threads = static_cast<int32_t>(threads_of(the_case));
  const auto size = [&](const char* name) {
    return static_cast<size_t>(the_case.argument_or(name, 1));
  };
  Arrays expected = {
      {"atomic", array_of<int32_t>({threads})},
      {"by_blocks", array_of<int32_t>({threads})},
      {"statistics", array_of(statistics_of(values, size("times") * size("seats"),
                                            size("times") * size("stock")))},
      {"batons", array_of(each_once(values.size()))},
      {"maxima", array_of(maxima_of(values_of<float>(inputs, "floats"),
                                    values_of<int32_t>(inputs, "groups"), size("groups")))},
      {"visits", array_of<int32_t>({static_cast<int32_t>(values.size())})},
      {"record", array_of(record_of(values))}};
  // A single thread loses nothing.
  if (threads > 1) expected["lost"] = array_of<int32_t>({1, 1});
  return expected;
}

}  // namespace warpgrade
