// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "base/files.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/texture.h"
#include "emulator/model/device_table.h"
#include "emulator/model/work.h"

namespace warpgrade::emulator {
namespace {

constexpr int kTrafficSm = 86;
constexpr uint32_t kElements = 128 * 128;
constexpr uint64_t kHandle = 0x77;

/// Kernels that go through a matrix by columns, each on a path of its own to the caches.
class LaneTraffic : public testing::Test {
 protected:
  LaneTraffic() : memory_({size_t{1} << 30}) {
    const auto ptx = RealFiles().read(WARPGRADE_TEST_KERNELS_PTX);
    auto module = load_module(ptx.value(), 0, kTrafficSm, memory_);
    if (!module) throw std::runtime_error(module.error().message);
    module_ = std::move(module).value();
    matrix_ = memory_.allocate(0, kElements * sizeof(float), "cudaMalloc")->begin;
    other_ = memory_.allocate(0, kElements * sizeof(float), "cudaMalloc")->begin;
    TextureObject texture;
    texture.address = matrix_;
    texture.extent = {kElements, 1, 1};
    textures_[kHandle] = texture;
  }

  LaunchWork work_of(const char* kernel, uint64_t first, uint64_t second) {
    LaunchRequest request;
    request.module = module_.get();
    request.kernel = kernel;
    request.grid = {kElements / 128, 1, 1};
    request.block = {128, 1, 1};
    request.sm = kTrafficSm;
    request.textures = &textures_;
    const KernelInfo* const info = find_kernel(*module_, kernel);
    request.parameters.resize(info->parameter_bytes);
    const uint64_t values[] = {first, second};
    for (size_t i = 0; i < 2; ++i)
      std::memcpy(request.parameters.data() + info->parameters.at(i).offset, &values[i], 8);
    LaunchOptions options;
    options.max_shared_bytes = 48 << 10;
    options.device = &device_table().front();
    const LaunchResult result = launch(request, options, memory_);
    EXPECT_EQ(result.status, LaunchStatus::ok);
    return *result.work;
  }

  DeviceMemory memory_;
  std::shared_ptr<LoadedModule> module_;
  TextureTable textures_;
  uint64_t matrix_ = 0, other_ = 0;
};

TEST_F(LaneTraffic, AsynchronousCopiesTakeAsMuchFromTheCachesAsLoads) {
  const LaunchWork loads = work_of("load_by_columns", other_, matrix_),
                   copies = work_of("copy_by_columns", other_, matrix_);
  EXPECT_EQ(loads.load_sectors, kElements);
  EXPECT_EQ(copies.load_sectors, loads.load_sectors);
  EXPECT_EQ(copies.read_bytes, loads.read_bytes);
}

TEST_F(LaneTraffic, TextureFetchesTakeAsMuchFromTheCachesAsLoads) {
  const LaunchWork loads = work_of("load_by_columns", other_, matrix_),
                   fetches = work_of("fetch_by_columns", other_, kHandle);
  EXPECT_EQ(fetches.load_sectors, loads.load_sectors);
  EXPECT_EQ(fetches.read_bytes, loads.read_bytes);
}

TEST_F(LaneTraffic, SurfaceWritesTakeAsMuchFromTheCachesAsStores) {
  const LaunchWork stores = work_of("store_by_columns", matrix_, other_),
                   puts = work_of("put_by_columns", kHandle, other_);
  EXPECT_EQ(stores.store_sectors, kElements);
  EXPECT_EQ(puts.store_sectors, stores.store_sectors);
  EXPECT_EQ(puts.written_bytes, stores.written_bytes);
}

TEST_F(LaneTraffic, StoresAreMergedUnlessTheWarpWaitsForALoadBetween) {
  EXPECT_EQ(work_of("fill_pairs", other_, matrix_).merged_share, 0);
  EXPECT_EQ(work_of("fill_pairs_from_constants", other_, matrix_).merged_share, 0.5);
}

TEST_F(LaneTraffic, MatricesTakeAsMuchFromTheCachesAsTheirBytes) {
  const LaunchWork work = work_of("copy_by_matrices", other_, matrix_);
  const double bytes = kElements * sizeof(float);
  EXPECT_NEAR(work.read_bytes, bytes, 64);
  EXPECT_NEAR(work.written_bytes, bytes, 64);
  EXPECT_EQ(work.stored_bytes, 8 * bytes);
  EXPECT_EQ(work.store_sectors, 8 * bytes / 32);
  EXPECT_EQ(work.partial_share, 0);
}

}  // namespace
}  // namespace warpgrade::emulator
