// SPDX-License-Identifier: MIT
// The program around a student's pitched.cu. By hand it shows what padding costs and a few results.
// Under WARPGRADE_CASE it writes what the student's functions did to out/. It holds no expected
// result and judges nothing.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "harness/harness.h"
#include "pitched.h"

namespace {

using namespace warpgrade::harness;

struct Sizes {
  int rows = 0, columns = 0;
  int depth = 0;  // 0: a matrix
  int gap = 0;    // floats behind each row on the host

  size_t all_rows() const { return static_cast<size_t>(rows) * (depth > 0 ? depth : 1); }
  size_t row_floats() const { return static_cast<size_t>(columns) + gap; }
  std::vector<size_t> shape() const { return {all_rows(), static_cast<size_t>(columns)}; }
};

/// A poisoned matrix or volume of the host with somebody else's floats behind each row.
class HostBox {
 public:
  explicit HostBox(const Sizes& sizes)
      : sizes_(sizes), floats_(sizes.all_rows() * sizes.row_floats()) {
    for (size_t i = 0; i < floats_.size(); ++i) {
      if (is_gap(i)) floats_.data()[i] = kForeign;
    }
  }

  cudaPitchedPtr view() {
    return make_cudaPitchedPtr(floats_.data(), sizes_.row_floats() * sizeof(float), sizes_.columns,
                               sizes_.rows);
  }

  void assign(const std::vector<float>& packed) {
    if (packed.size() != sizes_.all_rows() * sizes_.columns)
      warpgrade::npy_io::fail("in/", "an array has another size than the arguments say");
    size_t next = 0;
    for (size_t i = 0; i < floats_.size(); ++i) {
      if (!is_gap(i)) floats_.data()[i] = packed[next++];
    }
  }

  std::vector<float> packed() const {
    std::vector<float> all = floats_.values(), found;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!is_gap(i)) found.push_back(all[i]);
    }
    return found;
  }

  bool gaps_untouched() const {
    const std::vector<float> all = floats_.values();
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_gap(i) && all[i] != kForeign) return false;
    }
    return floats_.untouched();
  }

 private:
  static constexpr float kForeign = -12345.0f;

  bool is_gap(size_t i) const {
    return i % sizes_.row_floats() >= static_cast<size_t>(sizes_.columns);
  }

  Sizes sizes_;
  Guarded<float> floats_;
};

cudaPitchedPtr allocate(const Sizes& sizes) {
  return sizes.depth == 0 ? allocate_matrix(sizes.rows, sizes.columns)
                          : allocate_volume(sizes.depth, sizes.rows, sizes.columns);
}

void copy(const Sizes& sizes, cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  return sizes.depth == 0 ? copy_matrix(to, from, kind) : copy_volume(to, from, sizes.depth, kind);
}

/// `weights` are first and step of a matrix, here and next of a volume.
void compute(const Sizes& sizes, cudaPitchedPtr result, cudaPitchedPtr source,
             const std::vector<float>& weights) {
  const Range range(sizes.depth == 0 ? "scale" : "blend");
  if (sizes.depth == 0) {
    scale_rows(result, source, weights.at(0), weights.at(1));
  } else {
    blend_slices(result, source, sizes.depth, weights.at(0), weights.at(1));
  }
}

bool is_device_memory(const void* ptr) {
  cudaPointerAttributes attributes;
  const bool known = cudaPointerGetAttributes(&attributes, ptr) == cudaSuccess;
  cudaGetLastError();
  return known && attributes.type == cudaMemoryTypeDevice;
}

void try_allocating(const CaseFolder& folder, const Sizes& sizes) {
  cudaPitchedPtr memory;
  {
    const Range range("allocate");
    memory = allocate(sizes);
  }
  const bool is_ours = is_device_memory(memory.ptr);
  folder.output<uint64_t>("allocated", {memory.xsize, memory.ysize, is_ours ? 1u : 0u});
  if (is_ours) cudaFree(memory.ptr);
}

/// Device memory of the driver's own, so that a mistake in the student's allocation costs nothing
/// where copies are tried.
class DriverMemory {
 public:
  explicit DriverMemory(const Sizes& sizes) {
    const size_t depth = sizes.depth > 0 ? sizes.depth : 1;
    const cudaExtent extent = make_cudaExtent(sizes.columns * sizeof(float), sizes.rows, depth);
    if (cudaMalloc3D(&memory_, extent) != cudaSuccess)
      warpgrade::npy_io::fail("the driver's own memory", "cannot be allocated");
    memory_.xsize = sizes.columns;
  }
  DriverMemory(const DriverMemory&) = delete;
  DriverMemory& operator=(const DriverMemory&) = delete;
  ~DriverMemory() { cudaFree(memory_.ptr); }

  cudaPitchedPtr view() const { return memory_; }

 private:
  cudaPitchedPtr memory_;
};

/// To the device and back into a host memory whose rows have another gap.
void try_copying(const CaseFolder& folder, const Sizes& sizes, HostBox& source) {
  const DriverMemory memory(sizes);
  Sizes wider = sizes;
  wider.gap += 2;
  HostBox back(wider);
  {
    const Range range("copy");
    copy(sizes, memory.view(), source.view(), cudaMemcpyHostToDevice);
    copy(sizes, back.view(), memory.view(), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();  // the Async forms of the copies are fine
  }
  folder.output("copied", sizes.shape(), back.packed());
  folder.output<int32_t>("copied_gaps", {back.gaps_untouched(), source.gaps_untouched()});
}

void try_computing(const CaseFolder& folder, const Sizes& sizes, HostBox& source) {
  HostBox result(sizes);
  compute(sizes, result.view(), source.view(), folder.input<float>("weights").values);
  folder.output("result", sizes.shape(), result.packed());
  folder.output<int32_t>("gaps", {result.gaps_untouched(), source.gaps_untouched()});
}

int run_case(const CaseFolder& folder, const Sizes& sizes) {
  HostBox source(sizes);
  const auto fill = [&] { source.assign(folder.input<float>("source").values); };
  fill();
  part([&] { try_allocating(folder, sizes); });
  part([&] { try_copying(folder, sizes, source); });
  fill();
  part([&] { try_computing(folder, sizes, source); });
  return 0;
}

int run_by_hand(const Sizes& sizes) {
  const cudaPitchedPtr memory = allocate(sizes);
  const size_t width = sizes.columns * sizeof(float);
  std::printf("rows of %zu bytes, pitch %zu bytes, %.1f %% padding\n", width, memory.pitch,
              memory.pitch > 0 ? 100.0 * (memory.pitch - width) / memory.pitch : 0.0);
  cudaFree(memory.ptr);

  HostBox source(sizes), result(sizes);
  std::vector<float> values;
  for (size_t i = 0; i < sizes.all_rows() * sizes.columns; ++i) values.push_back(i % 100);
  source.assign(values);
  compute(sizes, result.view(), source.view(), {0.5f, 0.25f});
  const std::vector<float> results = result.packed();
  std::printf("first element %g -> %g, last element %g -> %g\n", values.front(), results.front(),
              values.back(), results.back());
  return 0;
}

int program(int argc, char** argv) {
  Arguments arguments(argc, argv,
                      "ROWS COLUMNS [DEPTH [GAP]]\n"
                      "  DEPTH  slices of a volume; 0 (the default) is a matrix\n"
                      "  GAP    unused floats behind each row on the host (0)");
  Sizes sizes;
  sizes.rows = arguments.number("ROWS", 1);
  sizes.columns = arguments.number("COLUMNS", 1);
  sizes.depth = arguments.optional_number("DEPTH", 0, 0);
  sizes.gap = arguments.optional_number("GAP", 0, 0);
  arguments.done();
  const auto folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, sizes) : run_by_hand(sizes);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
