// SPDX-License-Identifier: MIT
#include "run/foreground.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/fake_files.h"

namespace warpgrade {
namespace {

const ElfFile kOwnKernels = {.is_dynamic = true, .has_device_code = true};

TEST(ProgramAt, RefusesWhatIsNoProgram) {
  EXPECT_EQ(program_at(RealFiles(), "/etc/passwd").error().message,
            "/etc/passwd is not a 64-bit Linux program");
  EXPECT_FALSE(program_at(RealFiles(), "/no/such/program").ok());
}

TEST(ProgramAt, SaysHowToCompileASource) {
  FakeFiles files;
  files.contents["homework/saxpy.cu"] = std::string(100, ' ');
  EXPECT_EQ(
      program_at(files, "homework/saxpy.cu").error().message,
      "homework/saxpy.cu is source code; compile it, and run the program: nvcc -cudart shared "
      "-lineinfo -o saxpy homework/saxpy.cu");
}

TEST(ProgramAt, TakesAScript) {
  FakeFiles files;
  files.contents["train.py"] = "#!/usr/bin/env python3\n";
  EXPECT_TRUE(program_at(files, "train.py").value().is_dynamic);
}

TEST(LibraryFor, TakesTheRuntimeOfTheProgramsToolkit) {
  FakeFiles files;
  files.contents["/wg/libcudart.so.13"] = "";
  files.contents["/wg/11/libcudart.so.11.0"] = "";
  const std::vector<fs::path> ours = {"/wg/libcudart.so.13", "/wg/11/libcudart.so.11.0"};
  EXPECT_EQ(
      library_for(files, "saxpy", kOwnKernels, {"libcudart.so.13", "libc.so.6"}, ours).value(),
      "/wg/libcudart.so.13");
  EXPECT_EQ(library_for(files, "saxpy", kOwnKernels, {"libcudart.so.11.0"}, ours).value(),
            "/wg/11/libcudart.so.11.0");
  EXPECT_EQ(library_for(files, "saxpy", kOwnKernels, {"libc.so.6"}, ours).error().message,
            "saxpy does not use the shared CUDA runtime: build with nvcc -cudart shared");
  EXPECT_EQ(library_for(files, "saxpy", kOwnKernels, {"libcudart.so.10.2"}, ours).error().message,
            "saxpy uses libcudart.so.10.2, and the emulated device stands in for libcudart.so.13, "
            "libcudart.so.11.0: build with a CUDA that has one of these");
  EXPECT_EQ(
      library_for(FakeFiles(), "saxpy", kOwnKernels, {"libcudart.so.13"}, ours).error().message,
      "/wg/libcudart.so.13 is missing");
}

TEST(LibraryFor, TakesTheNewestRuntimeForTheDriverApi) {
  FakeFiles files;
  files.contents["/wg/libcudart.so.13"] = "";
  const std::vector<fs::path> ours = {"/wg/libcudart.so.13", "/wg/11/libcudart.so.11.0"};
  EXPECT_EQ(library_for(files, "drv", kOwnKernels, {"libcuda.so.1", "libc.so.6"}, ours).value(),
            "/wg/libcudart.so.13");
}

TEST(LibraryFor, TakesTheNewestRuntimeWhereTheProgramMayOpenALibrary) {
  FakeFiles files;
  const std::vector<fs::path> ours = {"/wg/libcudart.so.13", "/wg/11/libcudart.so.11.0"};
  const ElfFile opens = {.is_dynamic = true}, whole = {};
  EXPECT_EQ(library_for(files, "app", opens, {"libc.so.6"}, ours).value(), "/wg/libcudart.so.13");
  EXPECT_EQ(library_for(files, "app", whole, {}, ours).error().message,
            "app does not use the shared CUDA runtime: build with nvcc -cudart shared");
}

TEST(NotInFolder, LeavesOutWhatTheEngineBrings) {
  FakeFiles files;
  files.contents["/wg/driver/libcurand.so.10"] = "";
  EXPECT_EQ(not_in_folder(files, {"libcufft.so.12", "libcurand.so.10"}, "/wg/driver"),
            std::vector<std::string>{"libcufft.so.12"});
}

TEST(WithoutGpu, NamesALibraryThatTheEmulatedDeviceIsNotFor) {
  EXPECT_EQ(without_gpu("gemm", {"libcudart.so.13", "libcufft.so.12", "libcurand.so.10"}, true),
            "gemm uses libcufft.so.12, which needs a GPU: of CUDA, the runtime and the driver API "
            "are emulated");
  EXPECT_EQ(without_gpu("drv", {"libcuda.so.1"}, true), "");
  EXPECT_EQ(without_gpu("drv", {"libcudart.so.12", "libcuda.so.1"}, false),
            "drv uses libcuda.so, which is emulated for programs of CUDA 13 only");
  EXPECT_EQ(without_gpu("saxpy", {"libcudart.so.13", "libc.so.6", "libcudadevrt.so"}, true), "");
}

}  // namespace
}  // namespace warpgrade
