// SPDX-License-Identifier: MIT
// Inputs and expected outputs of pitched. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <algorithm>
#include <stdexcept>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

struct Sizes {
  size_t rows, columns, depth;  // depth 0: a matrix

  explicit Sizes(const OracleCase& the_case)
      : rows(static_cast<size_t>(the_case.argument("rows"))),
        columns(static_cast<size_t>(the_case.argument("columns"))),
        depth(static_cast<size_t>(the_case.argument("depth"))) {}
  size_t all_rows() const { return rows * std::max<size_t>(1, depth); }
  size_t count() const { return all_rows() * columns; }
  std::vector<size_t> shape() const { return {all_rows(), columns}; }  // slice behind slice
};

std::vector<float> make_source(const OracleCase& the_case, size_t count, SeededRandom& random) {
  if (the_case.family == "integers") return nonzero_integers(count, random);
  if (the_case.family == "positions") return positions(count);
  if (the_case.family == "uniform") return uniform(count, random);
  throw std::invalid_argument("pitched: unknown family \"" + the_case.family +
                              "\" (integers, positions, uniform)");
}

// In double, where products of floats are exact.
float scaled(const std::vector<double>& weights, size_t row, double value) {
  return static_cast<float>((weights[0] + weights[1] * static_cast<double>(row)) * value);
}

std::vector<float> expected_result(const Sizes& sizes, const std::vector<double>& weights,
                                   const std::vector<double>& source) {
  std::vector<float> result(sizes.count());
  const size_t slice = sizes.rows * sizes.columns;
  for (size_t i = 0; i < result.size(); ++i) {
    if (sizes.depth == 0) {
      result[i] = scaled(weights, i / sizes.columns, source[i]);
    } else {
      const size_t next = i + slice < result.size() ? i + slice : i;
      result[i] = static_cast<float>(weights[0] * source[i] + weights[1] * source[next]);
    }
  }
  return result;
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  const Sizes sizes(the_case);
  SeededRandom random(the_case.seed);
  // Never 0 or 1, so that a weight left out shows.
  const std::vector<float> weights =
      the_case.family == "uniform"
          ? std::vector<float>{0.25f + random.uniform(), 0.25f + random.uniform()}
          : integers(2, 2, 5, random);
  return {{"source", make_npy(sizes.shape(), make_source(the_case, sizes.count(), random))},
          {"weights", make_npy({2}, weights)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const Sizes sizes(the_case);
  const NpyArray& source = inputs.at("source");
  if (source.shape != sizes.shape())
    throw std::invalid_argument("pitched: in/source.npy is not the one made for this case");
  const std::vector<float> result =
      expected_result(sizes, inputs.at("weights").as_doubles(), source.as_doubles());
  return {{"allocated", make_npy<uint64_t>({3}, {sizes.columns, sizes.rows, 1})},
          {"copied", source},
          {"copied_alike", source},
          {"copied_between", source},
          {"between_padding", make_npy<int32_t>({2}, {1, 1})},
          {"copied_gaps", make_npy<int32_t>({6}, {1, 1, 1, 1, 1, 1})},
          {"result", make_npy(sizes.shape(), result)},
          {"gaps", make_npy<int32_t>({2}, {1, 1})}};
}

}  // namespace warpgrade
