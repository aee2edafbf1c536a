// SPDX-License-Identifier: MIT
#include "rubric/driver_launches.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(DriverLaunches, KnowTheKernelsThatAContractDeclares) {
  EXPECT_EQ(declared_kernels("__global__ void add(int* a, int n);\n"
                             "// __global__ void spoken_of();\n"
                             "extern \"C\" __global__ void __launch_bounds__(256) scale (float);\n"
                             "__device__ inline int half(int a) { return a / 2; }\n"
                             "void host(int n);\n"
                             "template <class T>\n__global__ void each(T* values);\n"),
            (std::vector<std::string>{"add", "scale", "each"}));
}

TEST(DriverLaunches, AreRefusedWhereAHostFunctionCouldStandInForAContractsKernel) {
  const std::string driver =
      "void run() {\n  probe<<<1, 1>>>();\n  // add<<<1, 1>>>(a);\n"
      "  if (n > 0) add <<<1, 1>>>(a);\n  each<int><<<1, 1>>>(a);\n"
      "  harness::launch(add, 1, 1, a);\n}\n";
  Diagnostics errors("driver.cu", driver);
  check_driver_launches(driver, {"add", "each"}, errors);
  ASSERT_EQ(errors.count(), 2u) << errors.format();
  EXPECT_NE(errors.format().find("driver.cu:4:14: error: <<<>>> calls the host function 'add', "
                                 "which a student's file can define in the kernel's place; write "
                                 "harness::launch(add, grid, block, ...)"),
            std::string::npos)
      << errors.format();
  EXPECT_EQ(errors.mistakes()[1].line, 5);
}

TEST(DriverLaunches, OfTheDriversOwnKernelsArePlain) {
  const std::string driver = "__global__ void probe() {}\nvoid run() { probe<<<1, 1>>>(); }\n";
  Diagnostics errors("driver.cu", driver);
  check_driver_launches(driver, {"add"}, errors);
  EXPECT_TRUE(errors.empty()) << errors.format();
}

}  // namespace
}  // namespace warpgrade
