// SPDX-License-Identifier: MIT
// The program around a student's pitched.cu. By hand it shows what padding costs and a few results.
// Under WARPGRADE_CASE it writes what the student's functions did to out/. It holds no expected
// result and judges nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "harness/harness.h"
#include "harness/runtimes_own.h"
#include "pitched.h"

namespace {

using namespace warpgrade::harness;

struct Sizes {
  int rows = 0, columns = 0;
  int depth = 0;        // 0: a matrix
  int gap = 0;          // floats behind each row on the host
  int result_gap = 0;   // the same of what is computed
  bool is_far = false;  // whether the device's rows lie far apart

  size_t all_rows() const { return static_cast<size_t>(rows) * (depth > 0 ? depth : 1); }
  size_t row_floats() const { return static_cast<size_t>(columns) + gap; }
  size_t row_bytes() const { return columns * sizeof(float); }
  Sizes with_gap(int other) const {
    Sizes sizes = *this;
    sizes.gap = other;
    return sizes;
  }
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

/// While it lives, the device's pitches are large, so that few elements lie more than 4 GiB apart. A program finds
/// a pitch and does not choose it.
class FarRows {
 public:
  FarRows() { is_on_ = true; }
  ~FarRows() { is_on_ = false; }
  FarRows(const FarRows&) = delete;
  FarRows& operator=(const FarRows&) = delete;

  static size_t width(size_t bytes) {
    constexpr size_t kFarBytes = size_t{1} << 30;
    return is_on_ ? std::max(bytes, kFarBytes) : bytes;
  }

  struct Allocation {
    void* begin;
    size_t pitch, width;  // that the program asked for
  };
  static void note(void* begin, size_t pitch, size_t width) {
    if (is_on_) allocations_.push_back({begin, pitch, width});
  }
  /// The allocation that begins there, for a call that reaches beyond its first row; else nullptr. Its place may
  /// have become another's since.
  static const Allocation* find(const void* begin, size_t bytes) {
    for (const Allocation& each : allocations_) {
      if (is_on_ && each.begin == begin && bytes >= each.pitch) return &each;
    }
    return nullptr;
  }

 private:
  inline static bool is_on_ = false;
  inline static std::vector<Allocation> allocations_;
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
/// where copies are tried. Its padding, of spare_bytes a row and more, tells what was written there.
class DriverMemory {
 public:
  explicit DriverMemory(const Sizes& sizes, size_t spare_bytes = 0) : sizes_(sizes) {
    const size_t depth = sizes.depth > 0 ? sizes.depth : 1;
    const cudaExtent extent = make_cudaExtent(sizes.row_bytes() + spare_bytes, sizes.rows, depth);
    if (cudaMalloc3D(&memory_, extent) != cudaSuccess ||
        cudaMemset(memory_.ptr, kForeign, bytes()) != cudaSuccess)
      warpgrade::npy_io::fail("the driver's own memory", "cannot be allocated");
    memory_.xsize = sizes.columns;
  }
  DriverMemory(const DriverMemory&) = delete;
  DriverMemory& operator=(const DriverMemory&) = delete;
  ~DriverMemory() { cudaFree(memory_.ptr); }

  cudaPitchedPtr view() const { return memory_; }

  void assign(const std::vector<float>& values) {
    if (cudaMemcpy2D(memory_.ptr, memory_.pitch, values.data(), sizes_.row_bytes(),
                     sizes_.row_bytes(), sizes_.all_rows(), cudaMemcpyHostToDevice) != cudaSuccess)
      warpgrade::npy_io::fail("the driver's own memory", "cannot be filled");
  }

  std::vector<float> values() const {
    std::vector<float> found(sizes_.all_rows() * sizes_.columns);
    if (cudaMemcpy2D(found.data(), sizes_.row_bytes(), memory_.ptr, memory_.pitch,
                     sizes_.row_bytes(), sizes_.all_rows(), cudaMemcpyDeviceToHost) != cudaSuccess)
      warpgrade::npy_io::fail("the driver's own memory", "cannot be read");
    return found;
  }

  /// The gap of a host memory with the same pitch.
  int gap() const { return static_cast<int>(memory_.pitch / sizeof(float)) - sizes_.columns; }

  bool padding_untouched() const {
    std::vector<unsigned char> all(bytes());
    if (cudaMemcpy(all.data(), memory_.ptr, all.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
      return false;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % memory_.pitch >= sizes_.row_bytes() && all[i] != kForeign) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kForeign = 0xC6;

  size_t bytes() const { return memory_.pitch * sizes_.all_rows(); }

  Sizes sizes_;
  cudaPitchedPtr memory_;
};

/// To the device and back, from and to host memory whose rows have these gaps. Adds to `untouched`
/// what is still as it was: what is copied to, what is copied from, and the padding on the device.
std::vector<float> copy_through(const DriverMemory& memory, const Sizes& sizes,
                                const std::vector<float>& values, int gap, int gap_back,
                                std::vector<int32_t>& untouched) {
  HostBox source(sizes.with_gap(gap)), back(sizes.with_gap(gap_back));
  source.assign(values);
  {
    const Range range("copy");
    copy(sizes, memory.view(), source.view(), cudaMemcpyHostToDevice);
    copy(sizes, back.view(), memory.view(), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();  // the Async forms of the copies are fine
  }
  untouched.insert(untouched.end(),
                   {back.gaps_untouched(), source.gaps_untouched(), memory.padding_untouched()});
  return back.packed();
}

/// Once with three different pitches, and once with the pitch of the device on the host, too.
void try_copying(const CaseFolder& folder, const Sizes& sizes, const std::vector<float>& values) {
  const DriverMemory memory(sizes), like_host(sizes);
  std::vector<int32_t> untouched;
  const std::vector<float> copied =
      copy_through(memory, sizes, values, sizes.gap, sizes.gap + 2, untouched);
  const std::vector<float> alike =
      copy_through(like_host, sizes, values, like_host.gap(), like_host.gap(), untouched);
  folder.output("copied", sizes.shape(), copied);
  folder.output("copied_alike", sizes.shape(), alike);
  folder.output("copied_gaps", untouched);
}

/// From one place on the device to another, whose rows are farther apart.
void try_copying_between(const CaseFolder& folder, const Sizes& sizes,
                         const std::vector<float>& values) {
  constexpr size_t kSpareBytes = 1024;
  DriverMemory from(sizes);
  const DriverMemory to(sizes, kSpareBytes);
  from.assign(values);
  std::vector<float> found;
  {
    const Range range("copy_between");
    copy(sizes, to.view(), from.view(), cudaMemcpyDeviceToDevice);
    found = to.values();  // in the default stream, which waits for no non-blocking stream
  }
  folder.output("copied_between", sizes.shape(), found);
  folder.output<int32_t>("between_padding", {to.padding_untouched(), from.padding_untouched()});
}

void try_computing(const CaseFolder& folder, const Sizes& sizes, HostBox& source) {
  HostBox result(sizes.with_gap(sizes.result_gap));
  compute(sizes, result.view(), source.view(), folder.input<float>("weights").values);
  folder.output("result", sizes.shape(), result.packed());
  folder.output<int32_t>("gaps", {result.gaps_untouched(), source.gaps_untouched()});
}

int run_case(const CaseFolder& folder, const Sizes& sizes) {
  const std::vector<float> values = folder.input<float>("source").values;
  HostBox source(sizes);
  source.assign(values);
  if (sizes.is_far) {
    part([&] {
      const FarRows far;
      try_computing(folder, sizes, source);
    });
    return 0;
  }
  part([&] { try_allocating(folder, sizes); });
  // First: what comes back from copies is what the device holds.
  part([&] { try_computing(folder, sizes, source); });
  part([&] { try_copying(folder, sizes, values); });
  part([&] { try_copying_between(folder, sizes, values); });
  return 0;
}

int run_by_hand(const Sizes& sizes) {
  const cudaPitchedPtr memory = allocate(sizes);
  const size_t width = sizes.columns * sizeof(float);
  std::printf("rows of %zu bytes, pitch %zu bytes, %.1f %% padding\n", width, memory.pitch,
              memory.pitch > 0 ? 100.0 * (memory.pitch - width) / memory.pitch : 0.0);
  cudaFree(memory.ptr);

  HostBox source(sizes), result(sizes.with_gap(sizes.result_gap));
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
                      "ROWS COLUMNS [DEPTH [GAP [RESULT_GAP]]]\n"
                      "  DEPTH       slices of a volume; 0 (the default) is a matrix\n"
                      "  GAP         unused floats behind each row on the host (0)\n"
                      "  RESULT_GAP  the same of the result (GAP)");
  Sizes sizes;
  sizes.rows = arguments.number("ROWS", 1);
  sizes.columns = arguments.number("COLUMNS", 1);
  sizes.depth = arguments.optional_number("DEPTH", 0, 0);
  sizes.gap = arguments.optional_number("GAP", 0, 0);
  sizes.result_gap = arguments.optional_number("RESULT_GAP", 0, sizes.gap);
  sizes.is_far = arguments.optional_number("FAR", 0, 0) != 0;  // the grader's own
  arguments.done();
  const auto folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, sizes) : run_by_hand(sizes);
}

}  // namespace

// These take the place of the runtime's functions, and do what those do. Weak, since a program with the runtime linked
// into it has them already.
extern "C" {
__attribute__((weak)) cudaError_t allocate_pitched(void** memory, size_t* pitch, size_t width,
                                                   size_t height) asm("cudaMallocPitch");
__attribute__((weak)) cudaError_t allocate_3d(cudaPitchedPtr* memory,
                                              cudaExtent extent) asm("cudaMalloc3D");
__attribute__((weak)) cudaError_t set(void* memory, int value, size_t bytes) asm("cudaMemset");
__attribute__((weak)) cudaError_t set_async(void* memory, int value, size_t bytes,
                                            cudaStream_t stream) asm("cudaMemsetAsync");
__attribute__((weak)) cudaError_t set_2d(void* memory, size_t pitch, int value, size_t width,
                                         size_t height) asm("cudaMemset2D");
}
cudaError_t allocate_pitched(void** memory, size_t* pitch, size_t width, size_t height) {
  const cudaError_t status =
      call_runtimes("cudaMallocPitch", memory, pitch, FarRows::width(width), height);
  if (status == cudaSuccess) FarRows::note(*memory, *pitch, width);
  return status;
}
cudaError_t allocate_3d(cudaPitchedPtr* memory, cudaExtent extent) {
  const size_t width = extent.width;
  extent.width = FarRows::width(width);
  const cudaError_t status = call_runtimes("cudaMalloc3D", memory, extent);
  if (status != cudaSuccess) return status;
  FarRows::note(memory->ptr, memory->pitch, width);
  memory->xsize = width;
  return status;
}

// A program may set far rows with the gigabytes between them. Only the rows are set, as the gaps hold nothing.
cudaError_t set(void* memory, int value, size_t bytes) {
  const FarRows::Allocation* const far = FarRows::find(memory, bytes);
  if (far == nullptr) return call_runtimes("cudaMemset", memory, value, bytes);
  return call_runtimes("cudaMemset2D", memory, far->pitch, value, far->width, bytes / far->pitch);
}
cudaError_t set_async(void* memory, int value, size_t bytes, cudaStream_t stream) {
  const FarRows::Allocation* const far = FarRows::find(memory, bytes);
  if (far == nullptr) return call_runtimes("cudaMemsetAsync", memory, value, bytes, stream);
  return call_runtimes("cudaMemset2DAsync", memory, far->pitch, value, far->width,
                       bytes / far->pitch, stream);
}
cudaError_t set_2d(void* memory, size_t pitch, int value, size_t width, size_t height) {
  const FarRows::Allocation* const far = FarRows::find(memory, pitch);
  if (far != nullptr) width = std::min(width, far->width);
  return call_runtimes("cudaMemset2D", memory, pitch, value, width, height);
}

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
