// SPDX-License-Identifier: MIT
// The program around a student's index.cu. By hand it runs one part and prints what came of it.
// Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did to
// out/. It holds no expected result and judges nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "index.h"

namespace {

namespace harness = warpgrade::harness;
using harness::CaseFolder;
using harness::launch;
using harness::part;
using harness::Range;

constexpr size_t kTakenBytes = 1 << 20;

constexpr char kUsage[] =
    "PART ...\n"
    "  answers                       your answers to part 1\n"
    "  line N BX                     number n cells in blocks of BX threads\n"
    "  plane COLUMNS ROWS BX BY\n"
    "  space COLUMNS ROWS LAYERS BX BY BZ\n"
    "  lanes N BX BY BZ              warps and lanes of N threads\n"
    "  stir N BX                     even and odd elements in different ways\n"
    "  grid COLUMNS ROWS LAYERS BX BY BZ\n"
    "  device MAJOR                  the machine's devices, and the first of this major number";

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

void check_launch(cudaError_t error) { check(error, "launching the kernel"); }

/// Device memory full of bytes 0xFF, or of values.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)), "memory for a result");
    check(cudaMemset(data_, 0xFF, count * sizeof(T)), "poisoning a result");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
          "copying an input");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }

  /// What the kernels left there. Waits for them.
  std::vector<T> values() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
          "waiting for a kernel and copying its result");
    return copy;
  }

 private:
  size_t count_;
  T* data_ = nullptr;
};

/// Three extents from the command line or a row of an input.
struct Extents {
  int x = 1, y = 1, z = 1;
  dim3 block() const {
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
  }
  size_t cells() const {
    return static_cast<size_t>(x) * static_cast<size_t>(y) * static_cast<size_t>(z);
  }
};

unsigned ceil_div(int total, unsigned part) {
  return (static_cast<unsigned>(total) + part - 1) / part;
}

dim3 covering(const Extents& cells, dim3 block) {
  return dim3(ceil_div(cells.x, block.x), ceil_div(cells.y, block.y), ceil_div(cells.z, block.z));
}

Extents take(harness::Arguments& args, const std::vector<const char*>& names) {
  Extents extents;
  int* const axes[] = {&extents.x, &extents.y, &extents.z};
  for (size_t i = 0; i < names.size(); ++i) *axes[i] = args.number(names[i], 1);
  return extents;
}

/// Where results go: into the case's folder, or to the screen as a table.
class Results {
 public:
  explicit Results(std::optional<CaseFolder> folder) : folder_(std::move(folder)) {}

  const CaseFolder* folder() const { return folder_ ? &*folder_ : nullptr; }

  template <class T>
  void put(const char* name, size_t columns, const std::vector<T>& values) const {
    if (folder_) return folder_->output(name, {values.size() / columns, columns}, values);
    std::printf("%s:\n", name);
    for (size_t i = 0; i < values.size(); ++i) {
      std::printf("%6lld%s", static_cast<long long>(values[i]),
                  (i + 1) % columns == 0 ? "\n" : " ");
    }
  }

 private:
  std::optional<CaseFolder> folder_;
};

void show_answers(const Results& results) {
  const Answers a = answers();
  results.put<int32_t>("places", 4, {a.column_1, a.row_1, a.column_2, a.row_2});
  results.put<int32_t>("counts", 8,
                       {a.number_3, a.warp_3, a.lane_3, a.blocks_4, a.idle_threads_4, a.warps_5,
                        a.idle_lanes_5, a.largest_side_6});
}

void number(const std::string& which, harness::Arguments& args, const Results& results) {
  const Extents cells = which == "line"    ? take(args, {"N"})
                        : which == "plane" ? take(args, {"COLUMNS", "ROWS"})
                                           : take(args, {"COLUMNS", "ROWS", "LAYERS"});
  const Extents extents = which == "line"    ? take(args, {"BX"})
                          : which == "plane" ? take(args, {"BX", "BY"})
                                             : take(args, {"BX", "BY", "BZ"});
  const dim3 block = extents.block(), grid = covering(cells, block);
  DeviceArray<int> ids(cells.cells());
  std::vector<int> numbers;
  {
    const Range range("number");
    if (which == "line") check_launch(launch(number_line, grid, block, ids.data(), cells.x));
    if (which == "plane")
      check_launch(launch(number_plane, grid, block, ids.data(), cells.x, cells.y));
    if (which == "space")
      check_launch(launch(number_space, grid, block, ids.data(), cells.x, cells.y, cells.z));
    numbers = ids.values();
  }
  results.put<int32_t>("ids", static_cast<size_t>(cells.x), numbers);
}

void label(harness::Arguments& args, const Results& results) {
  const Extents cells = take(args, {"N"}), extents = take(args, {"BX", "BY", "BZ"});
  const auto threads = static_cast<unsigned>(extents.cells());
  DeviceArray<int> warps(cells.cells()), lanes(cells.cells());
  std::vector<int> of_warps, of_lanes;
  {
    const Range range("lanes");
    check_launch(launch(number_lanes, ceil_div(cells.x, threads), extents.block(), warps.data(),
                        lanes.data(), cells.x));
    of_warps = warps.values();
    of_lanes = lanes.values();
  }
  results.put<int32_t>("warps", cells.cells(), of_warps);
  results.put<int32_t>("lanes", cells.cells(), of_lanes);
}

void run_stir(harness::Arguments& args, const Results& results) {
  const Extents cells = take(args, {"N"}), extents = take(args, {"BX"});
  std::vector<unsigned> values(cells.cells());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned>(i);
  if (results.folder()) values = results.folder()->input<unsigned>("values").values;
  DeviceArray<unsigned> stirred(values);
  {
    const Range range("stir");
    check_launch(launch(stir, ceil_div(cells.x, extents.block().x), extents.block(), stirred.data(),
                        cells.x));
    values = stirred.values();
  }
  results.put<uint32_t>("stirred", cells.cells(), values);
}

/// The grids for rows of columns, rows, layers and a block.
std::vector<uint32_t> grids_for(const std::vector<uint32_t>& fields) {
  const Range range("grid_for");
  std::vector<uint32_t> grids;
  for (size_t i = 0; i + 6 <= fields.size(); i += 6) {
    const uint32_t* f = fields.data() + i;
    const dim3 grid = grid_for(static_cast<int>(f[0]), static_cast<int>(f[1]),
                               static_cast<int>(f[2]), dim3(f[3], f[4], f[5]));
    grids.insert(grids.end(), {grid.x, grid.y, grid.z});
  }
  return grids;
}

/// Whether rows of a grid and a block can be launched.
std::vector<uint32_t> launchable(const std::vector<uint32_t>& launches) {
  const Range range("can_launch");
  std::vector<uint32_t> allowed;
  for (size_t i = 0; i + 6 <= launches.size(); i += 6) {
    const uint32_t* l = launches.data() + i;
    allowed.push_back(can_launch(dim3(l[0], l[1], l[2]), dim3(l[3], l[4], l[5])));
  }
  return allowed;
}

void shape(harness::Arguments& args, const Results& results) {
  std::vector<uint32_t> fields, launches;
  if (results.folder()) {
    fields = results.folder()->input<uint32_t>("fields").values;
    launches = results.folder()->input<uint32_t>("launches").values;
  } else {
    const Extents cells = take(args, {"COLUMNS", "ROWS", "LAYERS"});
    const dim3 block = take(args, {"BX", "BY", "BZ"}).block(), grid = covering(cells, block);
    fields = {cells.block().x, cells.block().y, cells.block().z, block.x, block.y, block.z};
    launches = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
  }
  part([&] { results.put<uint32_t>("grids", 3, grids_for(fields)); });
  part([&] { results.put<uint32_t>("launchable", 1, launchable(launches)); });
}

std::vector<uint64_t> facts_of(int count) {
  const Range range("describe");
  std::vector<uint64_t> facts;
  for (int i = 0; i < count; ++i) {
    const DeviceFacts f = describe_device(i);
    for (const int fact :
         {f.major, f.minor, f.multiprocessors, f.threads_of_a_warp, f.most_threads_of_a_block})
      facts.push_back(static_cast<uint64_t>(fact));
    facts.push_back(f.memory_bytes);
  }
  return facts;
}

int current_device() {
  int current = -1;
  check(cudaGetDevice(&current), "asking for the current device");
  return current;
}

/// Some memory of the device is taken meanwhile, so that free memory is less than all memory.
void describe(const Results& results, int count, int middle) {
  check(cudaSetDevice(middle), "starting from the device in the middle");
  void* taken = nullptr;
  check(cudaMalloc(&taken, kTakenBytes), "taking some memory");
  results.put<uint64_t>("facts", 6, facts_of(count));
  if (results.folder()) results.put<int32_t>("stayed", 1, {current_device() == middle});
  check(cudaSetDevice(middle), "starting from the device in the middle");
  check(cudaFree(taken), "giving it back");
}

void pick(const Results& results, int count, int middle, int major) {
  std::vector<int32_t> facts;
  const auto pick_from = [&](int device, int asked) {
    check(cudaSetDevice(device), "starting from another device");
    int picked = -1;
    {
      const Range range("pick");
      picked = pick_device(asked);
    }
    facts.insert(facts.end(), {picked, current_device()});
  };
  pick_from(middle, major);
  facts.push_back(count);
  // The same question again and then another one, from devices that the answers before did not make current.
  for (const int asked : {major, major == 8 ? 9 : 8})
    pick_from((current_device() + 1) % count, asked);
  results.put<int32_t>("picked", facts.size(), facts);
}

void device(harness::Arguments& args, const Results& results) {
  const int major = args.number("MAJOR", 0);
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting devices");
  const int middle = count / 2;
  part([&] { describe(results, count, middle); });
  part([&] { pick(results, count, middle, major); });
}

int program(int argc, char** argv) {
  harness::Arguments args(argc, argv, kUsage);
  const Results results(CaseFolder::from_environment());
  const std::string which = args.word("PART");
  if (which == "answers") {
    show_answers(results);
  } else if (which == "line" || which == "plane" || which == "space") {
    number(which, args, results);
  } else if (which == "lanes") {
    label(args, results);
  } else if (which == "stir") {
    run_stir(args, results);
  } else if (which == "grid") {
    shape(args, results);
  } else if (which == "device") {
    device(args, results);
  } else {
    std::fprintf(stderr, "there is no part '%s'\nusage: %s %s\n", which.c_str(), argv[0], kUsage);
    return 2;
  }
  args.done();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
