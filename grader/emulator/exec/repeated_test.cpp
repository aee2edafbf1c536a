// SPDX-License-Identifier: MIT
#include "emulator/exec/repeated.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpgrade::emulator {
namespace {

/// A kernel that may write `out`, with %rd1 = out + 4 * %tid.x, %r1 = array + 4 * %tid.x and the
/// predicate %p1 = %tid.x < 5.
std::shared_ptr<LoadedModule> kernel_with(const std::string& body, DeviceMemory& memory) {
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .b64 %rd<9>;\n"
      ".shared .align 4 .b8 array[4096];\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd1, %rd1, %rd0;\nshl.b32 %r1, %r0, 2;\n"
      "mov.u32 %r2, array;\nadd.s32 %r1, %r1, %r2;\nsetp.lt.u32 %p1, %r0, 5;\n" +
      body + "ret;\n}\n";
  auto module = load_module(text, 0, 75, memory);
  if (!module) throw std::runtime_error(module.error().message);
  return std::move(module).value();
}

/// One sign for each load and store of global and shared memory, in order: "r" where it is marked, else ".".
std::string marks(const std::string& body) {
  DeviceMemory memory({size_t{4} << 20});
  const auto module = kernel_with(body, memory);
  std::string found;
  for (const Instruction& instruction : module->program.code) {
    if (instruction.memory_slot != kNoDetail)
      found += (instruction.flags & Instruction::kRepeated) != 0 ? 'r' : '.';
  }
  return found;
}

TEST(Repeated, TakesLaterLoadsByTheSameRegisterAndNoOthers) {
  EXPECT_EQ(marks("ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r1+8];\n"
                  "ld.shared.u16 %r5, [%r1+4];\nld.shared.u32 %r6, [%r2];\n"
                  "ld.global.u32 %r7, [%rd1];\nst.global.u32 [%rd1], %r7;\n"
                  "ld.shared.u32 %r8, [%r1+400];\nst.global.u32 [%rd1+4], %r7;\n"),
            ".r....rr");
}

TEST(Repeated, BeginsAnewWhereTheRegisterOrTheGuardIsWritten) {
  EXPECT_EQ(marks("ld.shared.u32 %r3, [%r1];\nadd.s32 %r1, %r1, 4;\nld.shared.u32 %r4, [%r1];\n"
                  "ld.shared.u32 %r1, [%r1+8];\nld.shared.u32 %r5, [%r1];\n"
                  "ld.shared.u32 %r6, [%r1];\n"),
            "..r.r");
  EXPECT_EQ(marks("ld.shared.u32 %r1, [%r1];\nld.shared.u32 %r3, [%r1];\n"), "..");
  EXPECT_EQ(marks("@%p1 ld.shared.u32 %r3, [%r1];\n@%p1 ld.shared.u32 %r4, [%r1+4];\n"
                  "@!%p1 ld.shared.u32 %r5, [%r1];\nld.shared.u32 %r6, [%r1];\n"
                  "setp.lt.u32 %p1, %r0, 6;\n@%p1 ld.shared.u32 %r7, [%r1];\n"),
            ".r...");
  EXPECT_EQ(marks("ld.shared.u32 %r3, [%r1];\nld.global.v2.u32 {%r2, %r1}, [%rd1];\n"
                  "ld.shared.u32 %r4, [%r1];\n"),
            "...");
}

TEST(Repeated, BeginsAnewWhereOtherLanesOrWarpsMayComeBetween) {
  EXPECT_EQ(marks("ld.shared.u32 %r3, [%r1];\nbar.sync 0;\nld.shared.u32 %r4, [%r1];\n"), "..");
  EXPECT_EQ(marks("ld.shared.u32 %r3, [%r1];\nthere:\nld.shared.u32 %r4, [%r1];\n"
                  "@%p1 bra there;\nld.shared.u32 %r5, [%r1];\n"),
            "...");
}

TEST(Repeated, LoadsWhatComparingWouldLoad) {
  DeviceMemory memory({size_t{4} << 20});
  // Five lanes store by other addresses than 32, and both twice.
  const auto module = kernel_with(
      "st.shared.u32 [%r1], %r0;\nst.shared.u32 [%r1+128], 7;\n@%p1 bra few;\n"
      "add.s32 %r1, %r1, 4;\nfew:\nld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r1+124];\n"
      "@%p1 add.s32 %r1, %r1, 40;\nld.shared.u32 %r5, [%r1];\nld.shared.u32 %r6, [%r1+4];\n"
      "mad.lo.s32 %r3, %r4, 100, %r3;\nmad.lo.s32 %r3, %r5, 1000, %r3;\n"
      "mad.lo.s32 %r3, %r6, 100000, %r3;\nst.global.u32 [%rd1], %r3;\n",
      memory);
  const uint64_t out = memory.allocate(0, 128, "cudaMalloc")->begin;
  LaunchRequest request;
  request.module = module.get();
  request.kernel = "k";
  request.block = {32, 1, 1};
  request.parameters.resize(sizeof out);
  std::memcpy(request.parameters.data(), &out, sizeof out);
  request.sm = 75;
  ASSERT_EQ(launch(request, {}, memory).status, LaunchStatus::ok);
  const auto word = [](uint32_t index) { return index < 32 ? index : 7u; };
  const auto* const results = reinterpret_cast<const uint32_t*>(memory.host_address(out, 128));
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t first = lane < 5 ? lane : lane + 1, then = lane < 5 ? lane + 10 : first;
    EXPECT_EQ(results[lane],
              word(first) + 100 * word(first + 31) + 1000 * word(then) + 100000 * word(then + 1))
        << lane;
  }
}

}  // namespace
}  // namespace warpgrade::emulator
