// SPDX-License-Identifier: MIT
// Inputs and expected outputs of histogram. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade {
namespace {

constexpr size_t kBins = 256;
constexpr size_t kVerifyBytes = 3000;  // about twelve in each bin

constexpr size_t kAgainBytes = 1000;  // as in driver.cu

using Bytes = std::vector<uint8_t>;

uint8_t random_byte(SeededRandom& random) { return static_cast<uint8_t>(random.integer(0, 255)); }

// Letters as they come in a text: few of them make up most of it.
uint8_t random_letter(SeededRandom& random) {
  const long rank = std::min(random.integer(0, 26), random.integer(0, 26));
  return rank == 0 ? ' ' : static_cast<uint8_t>('a' + (7 * rank) % 26);
}

Bytes make_bytes(const std::string& family, size_t size, SeededRandom& random) {
  Bytes bytes(size);
  if (family == "uniform") {
    for (uint8_t& byte : bytes) byte = random_byte(random);
  } else if (family == "equal") {
    std::fill(bytes.begin(), bytes.end(), random_byte(random));
  } else if (family == "two") {
    const uint8_t low = random_byte(random) / 2, high = static_cast<uint8_t>(255 - low);
    for (uint8_t& byte : bytes) byte = random.integer(0, 3) == 0 ? low : high;
  } else if (family == "text") {
    for (uint8_t& byte : bytes) byte = random_letter(random);
  } else {
    throw std::invalid_argument("histogram: unknown family \"" + family +
                                "\" (uniform, equal, two, text)");
  }
  return bytes;
}

NpyArray histogram_of(const uint8_t* bytes, size_t size) {
  std::vector<uint32_t> counts(kBins);
  for (size_t i = 0; i < size; ++i) ++counts[bytes[i]];
  return make_npy({kBins}, counts);
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const auto size = static_cast<size_t>(the_case.argument("size"));
  const Bytes data = make_bytes(the_case.family, size, random);
  Bytes verify = make_bytes("uniform", kVerifyBytes, random);
  // Leaves some bins empty.
  for (uint8_t& byte : verify) byte = byte >= 240 && byte <= 250 ? byte - 100 : byte;
  return {{"data", make_npy({size}, data)},
          {"verify_data", make_npy({kVerifyBytes}, verify)},
          {"verify_counts", histogram_of(verify.data(), verify.size())}};
}

Arrays expected_outputs(const OracleCase&, const Arrays& inputs) {
  const auto data = inputs.at("data").as<uint8_t>();
  const NpyArray counts = histogram_of(data.data(), data.size());
  const size_t again_size = std::min(data.size(), kAgainBytes);
  const NpyArray again = histogram_of(data.data() + data.size() - again_size, again_size);
  const NpyArray untouched = make_npy<int32_t>({1}, {1});
  return {{"global", counts},
          {"global_again", again},
          {"global_guards", untouched},
          {"shared", counts},
          {"shared_again", again},
          {"shared_guards", untouched},
          {"size_kept", make_npy<int32_t>({1}, {1})},
          // In the order of the driver's questions.
          {"verify", make_npy<int32_t>({16}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0})}};
}

}  // namespace warpgrade
