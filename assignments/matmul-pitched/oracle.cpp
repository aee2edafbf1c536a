// SPDX-License-Identifier: MIT
// Inputs and expected outputs of matmul-pitched. Nothing here is ever linked with a student's code.
#include "check/oracle.h"
#include "check/oracle_inputs.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade {
namespace {

constexpr size_t kGuardBytes = 64;  // as in driver.cu, on both sides of each host matrix
constexpr uint8_t kForeign = 0xA7;  // as in driver.cu, in guards and gaps
constexpr int kLowestCudaMajor =
    7;  // CUDA 13 runs on nothing older, so no machine has such a device
// A small product of its own, right beforehand: what product_is_right is asked about.
constexpr int kVerifyM = 6, kVerifyN = 65, kVerifyK = 5;

struct Matrix {
  int rows, columns;
  std::vector<float> values;

  Matrix(int rows_, int columns_)
      : rows(rows_),
        columns(columns_),
        values(static_cast<size_t>(rows_) * static_cast<size_t>(columns_)) {}
  float& at(int i, int j) { return values[index(i, j)]; }
  float at(int i, int j) const { return values[index(i, j)]; }
  size_t index(int i, int j) const {
    return static_cast<size_t>(i) * static_cast<size_t>(columns) + static_cast<size_t>(j);
  }
  std::vector<size_t> shape() const {
    return {static_cast<size_t>(rows), static_cast<size_t>(columns)};
  }
};

int argument(const OracleCase& the_case, const std::string& name) {
  const auto found = the_case.args.find(name);
  if (found == the_case.args.end())
    throw std::invalid_argument("matmul-pitched: the case has no argument " + name);
  return static_cast<int>(found->second);
}

int gap_of(const OracleCase& the_case) {
  return the_case.args.count("gap") != 0 ? argument(the_case, "gap") : 0;
}

// That of B or C, `name`, which is A's where the case does not say.
int gap_of(const OracleCase& the_case, const std::string& name) {
  return the_case.args.count(name) != 0 ? argument(the_case, name) : gap_of(the_case);
}

// Integers whose products' sums stay below 2^24 are exact in float in any order of summation. None is 0, so
// that a term that is left out always shows, also where it is the only one.
Matrix random_integers(int rows, int columns, SeededRandom& random) {
  Matrix matrix(rows, columns);
  matrix.values = nonzero_integers(matrix.values.size(), random);
  return matrix;
}

Matrix random_uniform(int rows, int columns, SeededRandom& random) {
  Matrix matrix(rows, columns);
  for (float& value : matrix.values) value = random.uniform();
  return matrix;
}

// a[i][k] tells its own place.
Matrix position_coded(int rows, int columns) {
  Matrix matrix(rows, columns);
  for (size_t i = 0; i < matrix.values.size(); ++i) matrix.values[i] = static_cast<float>(i + 1);
  return matrix;
}

// One 1 in each column, so that each element of the product is one element of A, and a wrong one
// tells where it was read.
Matrix selection(int rows, int columns, SeededRandom& random) {
  Matrix matrix(rows, columns);
  const int shift = static_cast<int>(random.integer(0, rows - 1));
  for (int j = 0; j < columns; ++j) matrix.at((j + shift) % rows, j) = 1.0f;
  return matrix;
}

struct Factors {
  Matrix a, b;
};

Factors make_factors(const std::string& family, int m, int n, int k, SeededRandom& random) {
  if (family == "integers") {
    Matrix a = random_integers(m, n, random);
    return {std::move(a), random_integers(n, k, random)};
  }
  if (family == "uniform") {
    Matrix a = random_uniform(m, n, random);
    return {std::move(a), random_uniform(n, k, random)};
  }
  if (family == "positions") return {position_coded(m, n), selection(n, k, random)};
  throw std::invalid_argument("matmul-pitched: unknown family \"" + family +
                              "\" (integers, uniform, positions)");
}

// In double: products of floats are exact and their sums here err by less than 2^-45, far below
// what a float can show.
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.columns; ++j) {
      double sum = 0.0;
      for (int k = 0; k < a.columns; ++k)
        sum += static_cast<double>(a.at(i, k)) * static_cast<double>(b.at(k, j));
      c.at(i, j) = static_cast<float>(sum);
    }
  }
  return c;
}

// Whole numbers whose product holds each kind of element by construction: row 2 of A is 0, the terms of
// element [4, 1] cancel, and those of element [0, 0] are negative.
Factors factors_with_signs(SeededRandom& random) {
  Matrix a = random_integers(kVerifyM, kVerifyN, random);
  Matrix b = random_integers(kVerifyN, kVerifyK, random);
  for (int k = 0; k < kVerifyN; ++k) {
    a.at(0, k) = static_cast<float>(-random.integer(1, 8));
    b.at(k, 0) = static_cast<float>(random.integer(1, 8));
    a.at(2, k) = 0.0f;
    b.at(k, 1) = 3.0f;
    a.at(4, k) = k + 1 == kVerifyN ? 0.0f : (k % 2 == 0 ? 5.0f : -5.0f);
  }
  return {std::move(a), std::move(b)};
}

// Where the product is 0 since the row of A is, where since the terms cancel, and where it is negative.
NpyArray places_of_signs() {
  return make_npy<int32_t>({3}, {2 * kVerifyK + 2, 4 * kVerifyK + 1, 0});
}

NpyArray to_array(const Matrix& matrix) { return make_npy(matrix.shape(), matrix.values); }

Matrix to_matrix(const Arrays& arrays, const std::string& name, int rows, int columns) {
  Matrix matrix(rows, columns);
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.shape != matrix.shape() ||
      found->second.as<float>().size() != matrix.values.size()) {
    throw std::invalid_argument("matmul-pitched: in/" + name +
                                ".npy is not the one that was made for this case");
  }
  const auto values = found->second.as<float>();
  matrix.values.assign(values.begin(), values.end());
  return matrix;
}

// Guards and gaps of A (M rows), B (N rows) and the product (M rows), all still as the driver poisoned
// them.
NpyArray untouched_gaps(const OracleCase& the_case) {
  const int floats = argument(the_case, "M") * (gap_of(the_case) + gap_of(the_case, "gap_c")) +
                     argument(the_case, "N") * gap_of(the_case, "gap_b");
  const size_t bytes = 3 * 2 * kGuardBytes + static_cast<size_t>(floats) * sizeof(float);
  return make_npy<uint8_t>({bytes}, std::vector<uint8_t>(bytes, kForeign));
}

/// Whether each quarter from 0 to 1 holds some. All of 99 independent numbers miss one of the four
/// with a probability of at most 4 * (3/4)^99 < 2e-12.
bool are_spread_out(std::span<const float> values) {
  std::set<int> quarters;
  for (const float value : values)
    quarters.insert((value >= 0.25f ? 1 : 0) + (value >= 0.5f ? 1 : 0) + (value >= 0.75f ? 1 : 0));
  return quarters.size() == 4;
}

/// Whether no row is another one's copy. Two of 9 rows of 11 independent numbers are alike with a
/// probability of at most 36 * (2^-15)^11 < 1e-47, even where rand() has only 15 bits.
bool have_different_rows(const NpyArray& matrix) {
  if (matrix.shape.size() != 2 || matrix.count() == 0) return false;
  const auto values = matrix.as<float>();
  const size_t columns = matrix.shape[1];
  std::set<std::vector<float>> rows;
  for (size_t begin = 0; begin + columns <= values.size(); begin += columns)
    rows.insert({values.begin() + static_cast<std::ptrdiff_t>(begin),
                 values.begin() + static_cast<std::ptrdiff_t>(begin + columns)});
  return rows.size() * columns == values.size();
}

/// What the rubric's `random_facts` asks of a matrix that fill_random filled, in the order of its words.
std::vector<int32_t> facts_about_random(const NpyArray& matrix, std::span<const uint8_t> outside) {
  const auto values = matrix.as<float>();
  constexpr uint8_t kForeign = 0xA7;  // the driver's
  const auto is_in_range = [](float value) { return value >= 0.0f && value <= 1.0f; };
  std::set<float> different;
  std::copy_if(values.begin(), values.end(), std::inserter(different, different.end()),
               is_in_range);
  const bool untouched =
      std::all_of(outside.begin(), outside.end(), [](uint8_t byte) { return byte == kForeign; });
  return {!values.empty() && std::all_of(values.begin(), values.end(), is_in_range),
          different.size() > values.size() / 2, are_spread_out(values), have_different_rows(matrix),
          !outside.empty() && untouched};
}

}  // namespace

Arrays derived_outputs(const OracleCase&, const Arrays&, const Arrays& outputs) {
  const auto random = outputs.find("random"), outside = outputs.find("random_outside"),
             second = outputs.find("random_second");
  Arrays facts;
  if (random == outputs.end()) return facts;
  if (outside != outputs.end()) {
    facts["random_facts"] =
        make_npy<int32_t>({5}, facts_about_random(random->second, outside->second.as<uint8_t>()));
  }
  if (second != outputs.end())
    facts["random_goes_on"] =
        make_npy<int32_t>({1}, {random->second.bytes != second->second.bytes});
  return facts;
}

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Factors factors = make_factors(the_case.family, argument(the_case, "M"),
                                       argument(the_case, "N"), argument(the_case, "K"), random);
  const Factors verify = make_factors("uniform", kVerifyM, kVerifyN, kVerifyK, random);
  const Factors signs = factors_with_signs(random);
  const Factors one = make_factors("positions", 1, 1, 1, random);
  return {{"A", to_array(factors.a)},
          {"B", to_array(factors.b)},
          {"verify_a", to_array(verify.a)},
          {"verify_b", to_array(verify.b)},
          {"verify_c", to_array(product(verify.a, verify.b))},
          {"signs_a", to_array(signs.a)},
          {"signs_b", to_array(signs.b)},
          {"signs_c", to_array(product(signs.a, signs.b))},
          {"signs_places", places_of_signs()},
          {"one_a", to_array(one.a)},
          {"one_b", to_array(one.b)},
          {"one_c", to_array(product(one.a, one.b))}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const int m = argument(the_case, "M"), n = argument(the_case, "N"), k = argument(the_case, "K");
  const int major = argument(the_case, "major");
  const bool has_device = major >= kLowestCudaMajor;
  Arrays expected = {
      {"wrapped",
       make_npy<uint64_t>({8}, {static_cast<uint64_t>(n) * sizeof(float), static_cast<uint64_t>(n),
                                static_cast<uint64_t>(m), 1, 2'400'000'000, 600'000'000, 3, 1})},
      {"random_facts", make_npy<int32_t>({5}, {1, 1, 1, 1, 1})},
      {"random_goes_on", make_npy<int32_t>({1}, {1})},
      {"verify_gaps", make_npy<int32_t>({2}, {1, 0})},
      {"verify", make_npy<int32_t>({22}, {1, 1, 0, 0, 0, 0, 0, 0, 0,  // uniform
                                          1, 0, 0, 0, 0, 0,           // signs and zeros
                                          1, 1, 0,                    // zeros, small
                                          1, 0, 1, 0})},              // uneven, one element
      {"verify_too_large", make_npy<int32_t>({3}, {0, 0, 0})},
      {"device", make_npy<int32_t>({4}, has_device ? std::vector<int32_t>{major, 1, major, 1}
                                                   : std::vector<int32_t>{-1, 0, -1, 0})}};
  if (!has_device) return expected;

  const NpyArray c = to_array(product(to_matrix(inputs, "A", m, n), to_matrix(inputs, "B", n, k)));
  expected["C_dense"] = c;
  expected["C_padded"] = c;
  expected["gaps_dense"] = untouched_gaps(the_case);
  expected["gaps_padded"] = expected["gaps_dense"];
  return expected;
}

}  // namespace warpgrade
