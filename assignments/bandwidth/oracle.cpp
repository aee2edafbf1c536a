// SPDX-License-Identifier: MIT
// Inputs and expected outputs of bandwidth. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <set>
#include <span>
#include <stdexcept>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

constexpr long kWarp = 32;
constexpr size_t kWarpsOfTraffic = 40;

/// The kinds of cases, told by the words of the rubric's families.
enum class Kind { kPass, kSweep, kPattern, kTraffic };

bool has(const OracleCase& the_case, const char* word) {
  return the_case.family.find(word) != std::string::npos;
}

Kind kind_of(const OracleCase& the_case) {
  if (has(the_case, "traffic")) return Kind::kTraffic;
  if (has(the_case, "pattern")) return Kind::kPattern;
  if (has(the_case, "sweep")) return Kind::kSweep;
  if (has(the_case, "offset") || has(the_case, "stride")) return Kind::kPass;
  throw std::invalid_argument("bandwidth: unknown family \"" + the_case.family + "\"");
}

/// The element of thread i.
size_t element_of(const OracleCase& the_case, size_t i) {
  const auto s = static_cast<size_t>(the_case.argument("s"));
  return has(the_case, "stride") ? i * s : i + s;
}

std::vector<double> make_elements(const OracleCase& the_case, SeededRandom& random) {
  const auto last = static_cast<size_t>(the_case.argument("n")) - 1;
  // Whole numbers that the type holds, and their sums with 1: few of the large ones are the same as a float.
  const long largest = !has(the_case, "large")   ? 1000
                       : has(the_case, "double") ? 1L << 50
                                                 : 1L << 30;
  std::vector<double> values;
  for (size_t i = 0; i <= element_of(the_case, last); ++i)
    values.push_back(static_cast<double>(random.integer(-largest, largest)));
  return values;
}

/// In the case's type.
NpyArray in_type(const OracleCase& the_case, const std::vector<double>& values) {
  const std::vector<size_t> shape = {values.size()};
  if (has(the_case, "double")) return make_npy<double>(shape, values);
  if (has(the_case, "int"))
    return make_npy<int32_t>(shape, std::vector<int32_t>(values.begin(), values.end()));
  return make_npy<float>(shape, std::vector<float>(values.begin(), values.end()));
}

size_t word_of(long pattern, long i) {
  const long warp_start = i / kWarp * kWarp;
  const long words[] = {i, warp_start + kWarp - 1 - i % kWarp, i + 1, warp_start, i * kWarp};
  return static_cast<size_t>(words[pattern]);
}

/// How far apart two stretches lie whose bytes, sectors, or lines have numbers with the same 32 low bits.
constexpr uint64_t kFarApart[] = {uint64_t{1} << 32, uint64_t{1} << 37, uint64_t{1} << 39};

/// Addresses of one warp, as high as those of a GPU: runs, strides, few places in two stretches that
/// are far apart, or anywhere.
std::vector<uint64_t> make_addresses(size_t warp, uint64_t element_bytes, SeededRandom& random) {
  const uint64_t begins =
      (uint64_t{1} << 46) + static_cast<uint64_t>(random.integer(0, 1000)) * element_bytes;
  // Some begin at address 0, whose pieces have the number 0.
  const uint64_t base = warp % 8 == 4 ? 0 : begins;
  const auto step = static_cast<uint64_t>(random.integer(0, 40));
  const long places = warp % 4 == 2 ? 6 : 4000;
  std::vector<uint64_t> addresses;
  for (uint64_t lane = 0; lane < kWarp; ++lane) {
    const uint64_t element = warp % 4 == 0   ? lane
                             : warp % 4 == 1 ? lane * step
                                             : static_cast<uint64_t>(random.integer(0, places));
    const bool is_far = warp % 4 == 2 && random.integer(0, 1) == 1;
    addresses.push_back(base + element * element_bytes + (is_far ? kFarApart[warp / 4 % 3] : 0));
  }
  return addresses;
}

Arrays make_traffic(SeededRandom& random) {
  std::vector<uint64_t> addresses;
  std::vector<int32_t> element_bytes;
  for (size_t warp = 0; warp < kWarpsOfTraffic; ++warp) {
    element_bytes.push_back(random.integer(0, 1) == 0 ? 4 : 8);
    for (const uint64_t address :
         make_addresses(warp, static_cast<uint64_t>(element_bytes.back()), random))
      addresses.push_back(address);
  }
  return {{"addresses", make_npy({kWarpsOfTraffic, kWarp}, addresses)},
          {"element_bytes", make_npy({kWarpsOfTraffic}, element_bytes)}};
}

Arrays expected_traffic(const Arrays& inputs) {
  const auto addresses = inputs.at("addresses").as<uint64_t>();
  const auto element_bytes = inputs.at("element_bytes").as<int32_t>();
  std::vector<int32_t> useful_bytes, all_lines, all_sectors;
  for (size_t warp = 0; warp < element_bytes.size(); ++warp) {
    std::set<uint64_t> bytes, lines, sectors;
    for (size_t lane = 0; lane < kWarp; ++lane) {
      for (uint64_t byte = 0; byte < static_cast<uint64_t>(element_bytes[warp]); ++byte) {
        const uint64_t address = addresses[warp * kWarp + lane] + byte;
        bytes.insert(address);
        lines.insert(address / 128);
        sectors.insert(address / 32);
      }
    }
    useful_bytes.push_back(static_cast<int32_t>(bytes.size()));
    all_lines.push_back(static_cast<int32_t>(lines.size()));
    all_sectors.push_back(static_cast<int32_t>(sectors.size()));
  }
  return {{"useful_bytes", make_npy({useful_bytes.size()}, useful_bytes)},
          {"lines", make_npy({all_lines.size()}, all_lines)},
          {"sectors", make_npy({all_sectors.size()}, all_sectors)}};
}

constexpr size_t kSectorBytes = 32;
/// That the device's memory moves at once.
constexpr size_t kBurstBytes = 64;
/// So many threads' bursts, too, take the emulated device time.
constexpr long kManyThreads = 16384;

size_t element_bytes_of(const OracleCase& the_case) { return has(the_case, "double") ? 8 : 4; }

/// The elements of a sector, or of a burst where bursts show: up to such a stride, a wider one takes longer.
size_t widest_that_shows(const OracleCase& the_case) {
  const bool bursts_show = the_case.argument("n") >= kManyThreads;
  return (bursts_show ? kBurstBytes : kSectorBytes) / element_bytes_of(the_case);
}

/// For each stride but the last that shows, whether the next one takes longer; where a time lacks, it does not.
std::vector<int32_t> strides_that_follow(const OracleCase& the_case, std::span<const float> ms) {
  std::vector<int32_t> follows;
  for (size_t row = 0; row + 1 < widest_that_shows(the_case); ++row)
    follows.push_back(row + 1 < ms.size() && ms[row] < ms[row + 1]);
  return follows;
}

Arrays expected_sweep(const OracleCase& the_case) {
  const bool offset = has(the_case, "offset");
  std::vector<int32_t> s;
  for (int row = 0; row < (offset ? 33 : 32); ++row) s.push_back(offset ? row : row + 1);
  const auto element_bytes = static_cast<double>(element_bytes_of(the_case));
  const double gigabytes = 2.0 * static_cast<double>(the_case.argument("n")) * element_bytes / 1e9;
  std::vector<double> rates;
  for (const double ms : {1.0, 0.25, 3.0}) rates.push_back(gigabytes / (ms / 1e3));
  rates.push_back(2.0 * 1073741824 * element_bytes / 1e9 / 4e-3);
  const size_t steps = widest_that_shows(the_case) - 1;
  return {{"rates", make_npy({rates.size()}, rates)},
          {"follows", make_npy({steps}, std::vector<int32_t>(steps, 1))},
          {"s", make_npy({s.size()}, s)},
          {"fit", make_npy({s.size()}, std::vector<double>(s.size(), 1.0))}};
}

}  // namespace

Arrays derived_outputs(const OracleCase& the_case, const Arrays&, const Arrays& outputs) {
  if (kind_of(the_case) != Kind::kSweep || !outputs.contains("ms")) return {};
  const std::vector<int32_t> follows = strides_that_follow(the_case, outputs.at("ms").as<float>());
  return {{"follows", make_npy({follows.size()}, follows)}};
}

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  switch (kind_of(the_case)) {
    case Kind::kPass:
      return {{"a", in_type(the_case, make_elements(the_case, random))}};
    case Kind::kPattern: {
      const long pattern = the_case.argument("pattern"), n = the_case.argument("n");
      size_t words = 0;
      for (long i = 0; i < n; ++i) words = std::max(words, word_of(pattern, i) + 1);
      std::vector<int32_t> from;
      while (from.size() < words) from.push_back(static_cast<int32_t>(random.integer(0, 1000000)));
      return {{"from", make_npy({words}, from)}};
    }
    case Kind::kTraffic:
      return make_traffic(random);
    case Kind::kSweep:
      break;
  }
  return {};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  switch (kind_of(the_case)) {
    case Kind::kPass: {
      std::vector<double> values = inputs.at("a").as_doubles();
      for (long i = 0; i < the_case.argument("n"); ++i)
        values.at(element_of(the_case, static_cast<size_t>(i))) += 1;
      return {{"a", in_type(the_case, values)}};
    }
    case Kind::kPattern: {
      const auto from = inputs.at("from").as<int32_t>();
      std::vector<int32_t> to;
      for (long i = 0; i < the_case.argument("n"); ++i)
        to.push_back(from[word_of(the_case.argument("pattern"), i)]);
      return {{"to", make_npy({to.size()}, to)}};
    }
    case Kind::kTraffic:
      return expected_traffic(inputs);
    case Kind::kSweep:
      break;
  }
  return expected_sweep(the_case);
}

}  // namespace warpgrade
