// SPDX-License-Identifier: MIT
// Inputs and expected outputs of transpose. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

// The third has more bytes than an int can count, and more elements in all repetitions; the last has
// more elements.
constexpr int32_t kFixedRuns[][3] = {
    {2048, 2048, 1}, {1, 1, 1}, {40000, 30000, 50}, {65536, 50000, 2}};
constexpr size_t kRandomRuns = 3;

struct Sizes {
  size_t rows, columns;
  int32_t repetitions;
};

Sizes sizes_of(const OracleCase& the_case) {
  return {static_cast<size_t>(the_case.argument("rows")),
          static_cast<size_t>(the_case.argument("columns")),
          static_cast<int32_t>(the_case.argument("repetitions"))};
}

std::vector<float> matrix(const OracleCase& the_case, size_t count, SeededRandom& random) {
  if (the_case.family == "uniform") return uniform(count, random);
  if (the_case.family == "positions") return positions(count);
  throw std::invalid_argument("transpose: unknown family \"" + the_case.family +
                              "\" (positions, uniform)");
}

std::vector<float> transposed(const std::vector<float>& in, size_t rows, size_t columns) {
  constexpr size_t kBlock = 32;  // both sides of a block stay in the cache
  std::vector<float> out(in.size());
  for (size_t top = 0; top < rows; top += kBlock) {
    for (size_t left = 0; left < columns; left += kBlock) {
      for (size_t i = top; i < std::min(top + kBlock, rows); ++i) {
        for (size_t j = left; j < std::min(left + kBlock, columns); ++j)
          out[j * rows + i] = in[i * columns + j];
      }
    }
  }
  return out;
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  const Sizes sizes = sizes_of(the_case);
  SeededRandom random(the_case.seed);
  std::vector<int32_t> runs;
  for (const auto& run : kFixedRuns) runs.insert(runs.end(), run, run + 3);
  for (size_t i = 0; i < kRandomRuns; ++i) {
    for (const long most : {20000, 20000, 200})
      runs.push_back(static_cast<int32_t>(random.integer(1, most)));
  }
  const size_t count = runs.size() / 3;
  std::vector<float> runs_ms(count);
  for (float& ms : runs_ms) ms = 0.001f * static_cast<float>(random.integer(1, 100000));
  return {{"in", make_npy({sizes.rows, sizes.columns},
                          matrix(the_case, sizes.rows * sizes.columns, random))},
          {"runs", make_npy({count, 3}, runs)},
          {"runs_ms", make_npy({count}, runs_ms)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const Sizes sizes = sizes_of(the_case);
  const auto in = inputs.at("in").as<float>();
  const auto runs = inputs.at("runs").as<int32_t>();
  const auto runs_ms = inputs.at("runs_ms").as<float>();
  std::vector<double> gb_per_s;
  for (size_t i = 0; i < runs_ms.size(); ++i) {
    const double bytes = 8.0 * runs[3 * i] * runs[3 * i + 1] * runs[3 * i + 2];
    gb_per_s.push_back(bytes / 1e6 / static_cast<double>(runs_ms[i]));
  }
  const NpyArray result = make_npy({sizes.columns, sizes.rows},
                                   transposed({in.begin(), in.end()}, sizes.rows, sizes.columns));
  return {
      {"copy", inputs.at("in")},
      {"naive", result},
      {"coalesced", result},
      {"no_conflicts", result},
      {"fast", result},
      {"gb_per_s", make_npy({gb_per_s.size()}, gb_per_s)},
      // Launches with the warm-up, whether the arguments were passed on, the last's repetitions.
      {"over_calls", make_npy<int32_t>({3}, {sizes.repetitions + 1, 1, 1})},
      {"inside_calls", make_npy<int32_t>({3}, {2, 1, sizes.repetitions})},
      {"over_share", make_npy<float>({1}, {1.0f})},
      {"inside_share", make_npy<float>({1}, {1.0f})}};
}

}  // namespace warpgrade
