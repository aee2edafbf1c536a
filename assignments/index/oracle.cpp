// SPDX-License-Identifier: MIT
// Inputs and expected outputs of index. Nothing here is ever linked with a student's code.
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle.h"

namespace warpgrade {
namespace {

constexpr long kWarpThreads = 32;
constexpr long kMostBlocksX = 2147483647;
constexpr long kMostCells = 2147483647;  // along an axis: all that an int holds
constexpr long kMostBlocksYz = 65535;
constexpr long kMostThreads = 1024;
constexpr long kMostThreadsZ = 64;
constexpr int kRandomShapes = 12;

using Vector = std::array<long, 3>;

/// What the data sheets of the emulated devices say.
struct Device {
  uint64_t major, minor, multiprocessors, memory_bytes;
};
constexpr Device kT4 = {7, 5, 40, 15843721216};
constexpr Device kA100 = {8, 0, 108, 42505273344};
constexpr Device kRtx3090 = {8, 6, 82, 25447170048};
constexpr Device kRtx4090 = {8, 9, 128, 25393692672};
constexpr Device kH100 = {9, 0, 132, 85017493504};
constexpr Device kH200 = {9, 0, 132, 150109880320};

/// The machine that a case of the part "device" runs on, by its family.
std::vector<Device> machine(const std::string& family) {
  if (family == "lab") return {kT4, kRtx3090, kH100};
  if (family == "cluster") return {kH200, kA100, kH100};
  if (family == "room") return {kT4, kRtx3090, kRtx4090, kA100, kH100};
  if (family == "desk") return {kRtx4090};
  throw std::invalid_argument("unknown family \"" + family + "\" (lab, cluster, room, desk)");
}

Vector cells_of(const OracleCase& the_case) {
  return {the_case.argument_or("columns", the_case.argument_or("n", 1)),
          the_case.argument_or("rows", 1), the_case.argument_or("layers", 1)};
}

Vector block_of(const OracleCase& the_case) {
  return {the_case.argument("bx"), the_case.argument_or("by", 1), the_case.argument_or("bz", 1)};
}

long volume(const Vector& extents) { return extents[0] * extents[1] * extents[2]; }
long ceil_div(long total, long part) { return (total + part - 1) / part; }

/// The place of `at` in an order in which x runs fastest.
long place(const Vector& at, const Vector& extents) {
  return at[0] + extents[0] * (at[1] + extents[1] * at[2]);
}

/// The unique number of the thread at each cell.
NpyArray ids_of(const Vector& cells, const Vector& block) {
  Vector grid;
  for (size_t axis = 0; axis < 3; ++axis) grid[axis] = ceil_div(cells[axis], block[axis]);
  std::vector<int32_t> ids;
  for (long z = 0; z < cells[2]; ++z) {
    for (long y = 0; y < cells[1]; ++y) {
      for (long x = 0; x < cells[0]; ++x) {
        const Vector block_index = {x / block[0], y / block[1], z / block[2]};
        const Vector thread_index = {x % block[0], y % block[1], z % block[2]};
        ids.push_back(static_cast<int32_t>(place(block_index, grid) * volume(block) +
                                           place(thread_index, block)));
      }
    }
  }
  return make_npy({static_cast<size_t>(cells[1] * cells[2]), static_cast<size_t>(cells[0])}, ids);
}

Arrays lanes_of(long n, long threads_of_a_block) {
  std::vector<int32_t> warps, lanes;
  for (long i = 0; i < n; ++i) {
    warps.push_back(static_cast<int32_t>(i % threads_of_a_block / kWarpThreads));
    lanes.push_back(static_cast<int32_t>(i % threads_of_a_block % kWarpThreads));
  }
  return {{"warps", make_npy({1, warps.size()}, warps)},
          {"lanes", make_npy({1, lanes.size()}, lanes)}};
}

// As in index.h.
uint32_t stir_even(uint32_t value) {
  for (int k = 0; k < 48; ++k) value = (value ^ (value >> 15)) * 2246822519u;
  return value;
}
uint32_t stir_odd(uint32_t value) {
  for (int k = 0; k < 48; ++k) value = (value << 7) + (value >> 3) + 2654435769u;
  return value;
}

NpyArray stirred(const NpyArray& input) {
  std::vector<uint32_t> values;
  for (const uint32_t value : input.as<uint32_t>())
    values.push_back(values.size() % 2 == 0 ? stir_even(value) : stir_odd(value));
  return make_npy({1, values.size()}, values);
}

/// Rows of a grid or a field of cells and a block.
using Shapes = std::vector<std::array<long, 6>>;

NpyArray to_array(const Shapes& shapes) {
  std::vector<uint32_t> values;
  for (const auto& shape : shapes) {
    for (const long extent : shape) values.push_back(static_cast<uint32_t>(extent));
  }
  return make_npy({shapes.size(), 6}, values);
}

Shapes fields(SeededRandom& random) {
  Shapes shapes = {{1, 1, 1, 256, 1, 1},
                   {256, 1, 1, 256, 1, 1},
                   {257, 1, 1, 256, 1, 1},
                   {1000, 7, 1, 32, 8, 1},
                   {7, 1000, 1, 32, 8, 1},
                   {5, 9, 13, 2, 3, 4},
                   {100, 10, 1, 6, 2, 1},
                   {kMostBlocksX, 1, 1, 1024, 1, 1},
                   {1, kMostCells, 1, 1, 32, 1},
                   {1, 1, kMostCells, 1, 1, 64},
                   // 2^24 + 1, which no float holds
                   {16'777'217, 1, 1, 32, 1, 1},
                   {1, 16'777'217, 1, 1, 16, 1},
                   {1, 1, 16'777'217, 1, 1, 8}};
  for (int i = 0; i < kRandomShapes; ++i) {
    shapes.push_back({random.integer(1, 100'000), random.integer(1, 5000), random.integer(1, 300),
                      random.integer(1, 32), random.integer(1, 8), random.integer(1, 4)});
  }
  return shapes;
}

Shapes launches(SeededRandom& random) {
  Shapes shapes = {
      {1, 1, 1, kMostThreads, 1, 1},
      {1, 1, 1, kMostThreads + 1, 1, 1},
      {1, 1, 1, 1, kMostThreads, 1},
      {1, 1, 1, 1, 1, kMostThreadsZ},
      {1, 1, 1, 1, 1, kMostThreadsZ + 1},
      {1, 1, 1, 32, 32, 1},
      {1, 1, 1, 64, 64, 1},
      {1, 1, 1, 32, 33, 1},
      {1, 1, 1, 16, 16, 4},
      {1, 1, 1, 16, 16, 5},
      {1, 1, 1, 2, 8, 64},
      {kMostBlocksX, 1, 1, 256, 1, 1},
      {kMostBlocksX + 1, 1, 1, 256, 1, 1},
      {kMostBlocksYz + 1, 1, 1, 256, 1, 1},
      {1, kMostBlocksYz, 1, 256, 1, 1},
      {1, kMostBlocksYz + 1, 1, 256, 1, 1},
      {1, 1, kMostBlocksYz + 1, 256, 1, 1},
      {0, 1, 1, 256, 1, 1},
      {1, 1, 0, 256, 1, 1},
      {4, 1, 1, 0, 1, 1},
      // No limit holds for the blocks of all extents together.
      {kMostBlocksX, 2, 1, 256, 1, 1},
      {65'536, kMostBlocksYz, 1, 32, 1, 1},
      {kMostBlocksX, kMostBlocksYz, kMostBlocksYz, 1, 1, 1},
      // As many threads as 32 bits do not count.
      {1, 1, 1, 65'536, 65'536, 1},
      {1, 1, 1, 2'147'483'648, 2, 1},
      // As many blocks, and threads of all blocks, as 32 bits and 64 bits do not count.
      {65'536, 32'768, 2, 1, 1, 1},
      {4'194'304, 1, 1, kMostThreads, 1, 1},
      {1'073'741'824, 32'768, 32'768, kMostThreads, 1, 1}};
  for (int i = 0; i < kRandomShapes; ++i) {
    shapes.push_back({random.integer(1, 100), random.integer(1, 131'070), 1, random.integer(1, 64),
                      random.integer(1, 32), 1});
  }
  return shapes;
}

NpyArray grids_of(const NpyArray& fields) {
  const auto values = fields.as<uint32_t>();
  std::vector<uint32_t> grids;
  for (size_t row = 0; row < fields.shape[0]; ++row) {
    for (size_t axis = 0; axis < 3; ++axis) {
      grids.push_back(
          static_cast<uint32_t>(ceil_div(values[row * 6 + axis], values[row * 6 + 3 + axis])));
    }
  }
  return make_npy({fields.shape[0], 3}, grids);
}

NpyArray launchable(const NpyArray& launches) {
  constexpr long kMost[] = {kMostBlocksX, kMostBlocksYz, kMostBlocksYz,
                            kMostThreads, kMostThreads,  kMostThreadsZ};
  const auto values = launches.as<uint32_t>();
  std::vector<uint32_t> allowed;
  for (size_t row = 0; row < launches.shape[0]; ++row) {
    const uint32_t* extents = &values[row * 6];
    bool fits = long{extents[3]} * extents[4] * extents[5] <= kMostThreads;
    for (size_t i = 0; i < 6; ++i) fits = fits && extents[i] >= 1 && extents[i] <= kMost[i];
    allowed.push_back(fits);
  }
  return make_npy({allowed.size(), 1}, allowed);
}

/// -1 where there is none.
int32_t first_of_major(const std::vector<Device>& devices, long major) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const Device& device) {
    return device.major == static_cast<uint64_t>(major);
  });
  return found == devices.end() ? -1 : static_cast<int32_t>(found - devices.begin());
}

Arrays about_devices(const OracleCase& the_case) {
  const std::vector<Device> devices = machine(the_case.family);
  std::vector<uint64_t> facts;
  for (const Device& device : devices)
    facts.insert(facts.end(), {device.major, device.minor, device.multiprocessors, kWarpThreads,
                               kMostThreads, device.memory_bytes});
  const auto count = static_cast<int32_t>(devices.size());
  // The driver starts from the device in the middle, and then from the one behind that which is current.
  int32_t current = count / 2;
  std::vector<int32_t> picks;
  const auto pick = [&](long major) {
    const int32_t picked = first_of_major(devices, major);
    if (picked >= 0) current = picked;
    picks.insert(picks.end(), {picked, current});
  };
  const long major = the_case.argument("major");
  pick(major);
  picks.push_back(count);
  for (const long asked : {major, major == 8 ? 9L : 8L}) {
    current = (current + 1) % count;
    pick(asked);
  }
  return {{"facts", make_npy({devices.size(), 6}, facts)},
          {"stayed", make_npy<int32_t>({1, 1}, {1})},
          {"picked", make_npy({1, picks.size()}, picks)}};
}

/// What the part asks for; a case has the arguments of one part.
bool has(const OracleCase& the_case, const char* name) { return the_case.args.count(name) != 0; }

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  if (the_case.family == "values") {
    std::vector<uint32_t> values(static_cast<size_t>(the_case.argument("n")));
    for (uint32_t& value : values) value = static_cast<uint32_t>(random.next());
    return {{"values", make_npy({values.size()}, values)}};
  }
  if (the_case.family == "shapes")
    return {{"fields", to_array(fields(random))}, {"launches", to_array(launches(random))}};
  return {};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  if (the_case.family == "answers") {
    return {{"places", make_npy<int32_t>({1, 4}, {118, 35, 29, 9})},
            {"counts", make_npy<int32_t>({1, 8}, {44, 1, 12, 11, 56, 2, 19, 32})}};
  }
  if (the_case.family == "values") return {{"stirred", stirred(inputs.at("values"))}};
  if (the_case.family == "shapes") {
    return {{"grids", grids_of(inputs.at("fields"))},
            {"launchable", launchable(inputs.at("launches"))}};
  }
  if (has(the_case, "major")) return about_devices(the_case);
  if (the_case.family == "lanes")
    return lanes_of(the_case.argument("n"), volume(block_of(the_case)));
  return {{"ids", ids_of(cells_of(the_case), block_of(the_case))}};
}

}  // namespace warpgrade
